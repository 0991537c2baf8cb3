// The workbook of customers as exceljs and SheetJS write it: make.mjs FOLDER
import ExcelJS from "exceljs";
import XLSX from "xlsx";

const folder = process.argv[2];
const day = (...at) => new Date(Date.UTC(...at));
const info = [["Export", day(2024, 10, 24)]];
const customers = [
  ["Kunde", "E-Mail", "Telefon", "Seit", "Zuletzt", "Betrag", "Newsletter", "Summe", "Notiz", "Konto", "PLZ"],
  ["Müller, Anna", "anna@acme.example", "+49 30 0001", day(2024, 0, 31), day(2024, 0, 31, 13, 45, 1), 12.5, true,
    { formula: "F2*2", result: 25 }, "line 1\nline 2", 49123456789012, "01067"],
  ["O'Brien <Ltd> & \"Sons\"", "bob@acme.example", "0049", null, null, -0.1, false,
    { formula: "B3&\"\"", result: "bob@acme.example" }, "=1+1", 0, "00000"],
  [],
  ["漢字 😀", "ghost@acme.example", " blanks ", day(1999, 11, 31)],
];
const old = [["E-Mail"], ["old@acme.example"]];
const sheets = { Info: info, Kunden: customers, Archiv: old };

const book = new ExcelJS.Workbook();
for (const [name, rows] of Object.entries(sheets)) {
  const sheet = book.addWorksheet(name, { state: name === "Archiv" ? "hidden" : "visible" });
  rows.forEach((row, i) => { if (row.length > 0) sheet.getRow(i + 1).values = row; });
}
await book.xlsx.writeFile(`${folder}/exceljs.xlsx`);

// SheetJS writes a date as a number with a format, or in the form of ISO 8601.
for (const [name, cellDates] of [["sheetjs", false], ["sheetjs-dates", true]]) {
  const book = XLSX.utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    const plain = rows.map((row) => row.map((v) => v?.formula ? null : v));
    const sheet = XLSX.utils.aoa_to_sheet(plain, { cellDates, UTC: true });
    rows.forEach((row, r) => row.forEach((v, c) => {
      if (v?.formula) sheet[XLSX.utils.encode_cell({ r, c })] = { t: typeof v.result === "number" ? "n" : "s", f: v.formula, v: v.result };
    }));
    XLSX.utils.book_append_sheet(book, sheet, name);
  }
  book.Workbook = { Sheets: [{}, {}, { Hidden: 1 }] };
  XLSX.writeFile(book, `${folder}/${name}.xlsx`, { compression: true, cellDates });
}

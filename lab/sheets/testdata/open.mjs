// Prints the first sheet of a workbook as a reader of Node.js sees it:
// open.mjs exceljs|read-excel-file|sheetjs FILE
import ExcelJS from "exceljs";
import readExcelFile from "read-excel-file/node";
import XLSX from "xlsx";

const cell = (value) => {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return "date " + value.toISOString().slice(0, 19).replace("T", " ").replace(" 00:00:00", "");
  if (typeof value === "boolean") return "bool " + (value ? "TRUE" : "FALSE");
  return typeof value === "number" ? "number " + value : "text " + value;
};

const readers = {
  async exceljs(file) {
    const book = new ExcelJS.Workbook();
    await book.xlsx.readFile(file);
    const sheet = book.worksheets[0];
    const rows = [];
    sheet.eachRow({ includeEmpty: true }, (row) => rows.push(Array.from(row.values).slice(1)));
    return {
      rows, filter: sheet.autoFilter, frozen: sheet.views[0].ySplit, bold: sheet.getCell("A1").font.bold, plain: !sheet.getCell("A2").font?.bold,
      width: sheet.getColumn(1).width,
    };
  },
  async "read-excel-file"(file) {
    return { rows: (await readExcelFile(file))[0].data };
  },
  async sheetjs(file) {
    const book = XLSX.readFile(file, { cellDates: true, UTC: true });
    return { rows: XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { header: 1, UTC: true, blankrows: true }) };
  },
};

const seen = await readers[process.argv[2]](process.argv[3]);
seen.rows = seen.rows.map((row) => Array.from(row, cell));
console.log(JSON.stringify(seen));

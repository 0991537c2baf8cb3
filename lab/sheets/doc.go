// Package sheets compares the package that reads and writes spreadsheets,
// internal/list/xlsx, with other programs. Its tests open what is written with
// openpyxl, LibreOffice, exceljs, read-excel-file and SheetJS where these can
// be had, and hold what excelize does with a damaged workbook. BenchmarkCost
// measures both; docs/decisions/0012-own-spreadsheets.md has the numbers.
package sheets

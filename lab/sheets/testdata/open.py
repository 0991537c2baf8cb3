"""Prints the first sheet of a workbook as openpyxl sees it: open.py FILE"""
import datetime
import json
import sys

import openpyxl


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "bool " + str(value).upper()
    if isinstance(value, datetime.datetime):
        return "date " + value.isoformat(" ").replace(" 00:00:00", "")
    if isinstance(value, (int, float)):
        return "number " + repr(value)
    return "text " + value


sheet = openpyxl.load_workbook(sys.argv[1]).worksheets[0]
print(json.dumps({
    "rows": [[cell(value) for value in row] for row in sheet.values],
    "filter": sheet.auto_filter.ref, "frozen": int(sheet.freeze_panes[1:]) - 1, "bold": sheet["A1"].font.bold, "plain": not sheet["A2"].font.bold,
    "width": sheet.column_dimensions["A"].width,
}))

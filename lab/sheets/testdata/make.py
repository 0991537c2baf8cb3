"""The workbook of customers as openpyxl writes it: make.py FILE"""
import datetime
import sys

import openpyxl

book = openpyxl.Workbook()
info = book.active
info.title = "Info"
info.append(["Export", datetime.date(2024, 11, 24)])
sheet = book.create_sheet("Kunden")
sheet.append(["Kunde", "E-Mail", "Telefon", "Seit", "Zuletzt", "Betrag", "Newsletter", "Summe", "Notiz", "Konto", "PLZ"])
sheet.append(["Müller, Anna", "anna@acme.example", "+49 30 0001", datetime.date(2024, 1, 31),
              datetime.datetime(2024, 1, 31, 13, 45, 1), 12.5, True, "=F2*2", "line 1\nline 2", 49123456789012, "01067"])
sheet.append(["O'Brien <Ltd> & \"Sons\"", "bob@acme.example", "0049", None, None, -0.1, False, "=B3&\"\"", None, 0, "00000"])
sheet.append([])
sheet.append(["漢字 😀", "ghost@acme.example", " blanks ", datetime.date(1999, 12, 31)])
sheet["I3"].data_type = "s"
sheet["I3"].value = "=1+1"
sheet["I3"].data_type = "s"  # a text, and not a formula
hidden = book.create_sheet("Archiv")
hidden.append(["E-Mail"])
hidden.append(["old@acme.example"])
hidden.sheet_state = "hidden"
book.save(sys.argv[1])

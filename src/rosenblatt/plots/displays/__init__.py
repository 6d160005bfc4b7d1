"""Displays, one a file: ``decision_line.py`` has the class ``DecisionLineDisplay``."""

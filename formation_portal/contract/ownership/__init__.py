"""Shares and stakes: how many a class has, who owns which part of a company, and both in percent."""

"""Forecasting: a day's quarter of measurements, and the hours that follow."""

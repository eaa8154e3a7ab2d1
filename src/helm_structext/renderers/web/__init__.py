"""The browser, and the formats that it draws."""

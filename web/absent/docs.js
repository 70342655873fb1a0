// This program was built without the dashboard.

// This program was built without its dashboard.

// Payloads and saved states are JSON, so flows get the module without another import.

@_exported import JSON

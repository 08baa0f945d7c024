// Payloads and saved states are JSON: whoever writes a flow has its values without another import.

@_exported import JSON

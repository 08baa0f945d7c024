// Payloads and data are JSON, and a refusal has a code: programs get both without another import.

@_exported import JSON
@_exported import struct Texts.ErrorCode

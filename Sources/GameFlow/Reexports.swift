// Payloads and saved states are JSON, and a refusal has a code: flow authors get both without another import.

@_exported import JSON
@_exported import struct Texts.ErrorCode

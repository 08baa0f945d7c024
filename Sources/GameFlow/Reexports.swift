// States carry timers, payloads and saved states are JSON, and a refusal has a code: flow authors get all of them with one import, and the files of
// this module without one.

@_exported import JSON
@_exported import struct Texts.ErrorCode
@_exported import Timers

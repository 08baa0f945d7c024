// Names that occur twice in one object.

import Testing
@testable import JSON

@Suite struct `Repeated names in JSON` {
    @Test(arguments: [
        (#"{"a":1,"a":1}"#, "a"), (#"[1,{"b":{"c":[{"d":1,"e":2,"d":3}]}}]"#, "d"), (#"{"":1,"":2}"#, ""),
        (#"{"a":1,"\u0061":2}"#, "a"),
    ])
    func `A name that occurs twice in one object is found at any depth`(text: String, name: String) throws {
        #expect(try JSON(parsing: text).repeatedName == name)
    }

    @Test(arguments: [
        "1", "[]", "{}", #"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, #"{"A":1,"a":2}"#, "{\"e\u{301}\":1,\"\u{E9}\":2}",
    ])
    func `Names in different objects, and names that only look alike, are not repeated`(text: String) throws {
        #expect(try JSON(parsing: text).repeatedName == nil)
    }
}

import HTTP
import Testing

@Suite struct `The target of a request` {
    @Test(arguments: [
        ("/", [] as [String]), ("/api/sessions", ["api", "sessions"]), ("/api/sessions/", ["api", "sessions"]),
        ("/s/room%207", ["s", "room 7"]), ("/s/a%2Fb", ["s", "a/b"]), ("/s/%F0%9F%8E%B2", ["s", "🎲"]),
        ("/s/a+b", ["s", "a+b"]),
        ("/s/%3Cscript%3E", ["s", "<script>"]), ("/s/x#top", ["s", "x"]), ("//x", ["", "x"]), ("/s/x?#y", ["s", "x"]),
        ("/s/x#y?z", ["s", "x"]), ("/s//", ["s", ""]),
        ("/?a=1", []), ("/s/..", ["s", ".."]),
    ])
    func `The target of a request is split at its slashes before it is decoded`(text: String, segments: [String]) {
        #expect(HTTPTarget(text)?.segments == segments)
    }

    @Test(arguments: [
        "", "x", "*", "http://evil/", "/%", "/%a", "/%zz", "/%ff", "/%C3", "/%ED%A0%80", "/?a=%f", "/s/é", "/s/a b", "/\u{7F}",
    ])
    func `An invalid request target is refused`(text: String) {
        #expect(HTTPTarget(text) == nil)
    }

    @Test func `The target of a request has a query whose names may repeat`() throws {
        let target = try #require(HTTPTarget("/x?topic=a&topic=b+c&empty=&bare&e=%26%3D"))
        #expect(target.values("topic") == ["a", "b c"])
        #expect(target.value("empty") == "" && target.value("bare") == "" && target.value("e") == "&=")
        #expect(target.value("none") == nil)
    }
}

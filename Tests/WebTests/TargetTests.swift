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

    @Test(arguments: [
        ("http://localhost:7650/api/clock?a=b", "localhost:7650", "/api/clock?a=b"), ("HTTP://Host/", "Host", "/"),
        ("https://[::1]/x", "[::1]", "/x"), ("http://host", "host", "/"), ("http://host?a=b", "host", "/?a=b"),
        ("http://host#x", "host", "/#x"), ("http:///x", "", "/x"), ("http://a@host/http://b/", "a@host", "/http://b/"),
    ])
    func `A request target in the absolute form has an authority and a path`(text: String, authority: String, path: String) {
        let target = AbsoluteTarget(text)
        #expect(target?.authority == authority && target?.target == path)
    }

    @Test(arguments: ["", "/", "/http://host/", "*", "x", "http:/x", "http:x", "ftp://host/", "//host/", "host:80"])
    func `A request target of another form has no authority`(text: String) { #expect(AbsoluteTarget(text) == nil) }

    @Test func `The target of a request has a query whose names may repeat`() throws {
        let target = try #require(HTTPTarget("/x?topic=a&topic=b+c&empty=&bare&e=%26%3D"))
        #expect(target.values("topic") == ["a", "b c"])
        #expect(target.value("empty") == "" && target.value("bare") == "" && target.value("e") == "&=")
        #expect(target.value("none") == nil)
    }
}

// TCP addresses as text.

import Testing
@testable import Posix

@Suite struct `An address` {
    @Test(arguments: [
        ("127.0.0.1:7654", "127.0.0.1:7654", true), ("localhost:0", "127.0.0.1:0", true), ("[::1]:80", "[::1]:80", true),
        ("127.9.9.9:1", "127.9.9.9:1", true), ("0.0.0.0:7654", "0.0.0.0:7654", false), ("[::]:7654", "[::]:7654", false),
        ("10.1.2.3:7654", "10.1.2.3:7654", false), ("[2001:db8::1]:7654", "[2001:db8::1]:7654", false),
        ("127.1:7654", "127.1:7654", true), ("128.1:7654", "128.1:7654", false), ("[::2]:80", "[::2]:80", false),
        ("[::ffff:127.0.0.1]:7654", "[::ffff:127.0.0.1]:7654", true), ("[::127.0.0.1]:80", "[::127.0.0.1]:80", false),
        ("[::ffff:10.0.0.7]:7654", "[::ffff:10.0.0.7]:7654", false), ("0:7654", "0:7654", false),
        ("*:7654", "0.0.0.0:7654", false),
    ])
    func `An address is parsed into a host and a port, and recognized as loopback or not`(
        text: String, shown: String, isLoopback: Bool
    )
        throws
    {
        let address = try TcpAddress(text)
        #expect(address.description == shown)
        #expect(address.isLoopback == isLoopback)
        #expect(TcpAddress.isLoopback(address.host) == isLoopback)
    }

    @Test(arguments: ["localhost", "127.example.org", "", "127.0.0.1 x", "127.0.0.1:80", "[::1]"])
    func `A host that is not an address is not loopback`(host: String) {
        #expect(!TcpAddress.isLoopback(host))
    }

    @Test(arguments: [
        "", ":", "7654", ":7654", "localhost", "localhost:", "localhost:x", "localhost:65536", "::1:80", "[::1]", "[]:80",
        "example.org:80", "1.2.3.4.5:80", "[127.0.0.1]:80", "127.0.0.1:-1",
    ])
    func `An invalid address is refused with an example of a valid one`(text: String) {
        let error = #expect(throws: UsageError.self) { try TcpAddress(text) }
        #expect(error?.description.hasPrefix("--listen is HOST:PORT, like 127.0.0.1:7654") == true)
    }
}

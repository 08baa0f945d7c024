import Posix
import Testing

@testable import Web

@Suite struct `The link of the page` {
    @Test(arguments: [
        ("127.0.0.1:7650", "", false, "127.0.0.1:7650"), ("10.0.0.5:7650", "", false, "10.0.0.5:7650"),
        ("127.0.0.1:7650", "venue.local", false, "127.0.0.1:7650"),
        ("0.0.0.0:7650", "", false, "127.0.0.1:7650"), ("[::]:7650", "", false, "[::1]:7650"),
        ("0.0.0.0:7650", "venue.local", false, "venue.local:7650"), ("[::]:7650", "venue.local", true, "venue.local:7650"),
        ("10.0.0.5:7650", "venue.local", true, "venue.local:7650"), ("10.0.0.5:7650", "", true, "10.0.0.5:7650"),
        ("0.0.0.0:7650", "", true, "127.0.0.1:7650"),
    ])
    func `The link has an address that a browser can open`(address: String, name: String, isEncrypted: Bool, link: String)
        throws
    {
        var settings = WebSettings(try TcpAddress(address))
        settings.names = name.isEmpty ? [] : [name]
        settings.isEncrypted = isEncrypted
        #expect(settings.calledAs(address) == link)
    }
}

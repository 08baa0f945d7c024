// The turn's budget, and events of devices.

import Devices
import Foundation
import TestSupport
import Testing
@testable import Commands
@testable import EventLoop
@testable import GameDaemon

@Suite struct `Devices in turns of the loop` {
    /// Otherwise a client could make a turn a hundred times as long.
    @Test func `Each event of a notification counts as a request of the turn`() throws {
        let event = #"{ "on": "notification", "attribute": 42, "session": "hall", "event": "pass" }"#
        let events = [String](repeating: event, count: 100).joined(separator: ", ")
        let device = #"{ "name": "button", "address": "C0:FF:EE:00:00:01", "connected": true, "events": [\#(events)] }"#
        let folder = try Folder()
        let path = folder.path + "/devices.json"
        try #"{ "devices": [\#(device)] }"#.write(toFile: path, atomically: true, encoding: .utf8)
        let stepped = try SteppedDaemon()
        try stepped.daemon.bluetooth.load(path)
        let client = LocalClient(of: stepped.daemon.host)
        #expect(client.run(["NEW", "hall", "turns"]).last == .simple("first"))
        let before = stepped.loop.pieces
        #expect(client.run(["BLUETOOTH", "NOTIFY", "button"]).last == .integer(100))
        #expect(stepped.loop.pieces - before >= 100)
    }
}

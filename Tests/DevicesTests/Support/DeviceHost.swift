// A host in virtual time with two sessions and simulated devices, controlled by client commands.

import Bluetooth
import BuiltInFlows
import Foundation
import GameFlow
import RESP
import Testing
import Timers
@testable import Commands
@testable import Devices
@testable import Logging

/// The device file of most tests.
let exampleDevices = """
    {
        "silence": "10s",
        "devices": [
            {
                "name": "button", "address": "C0:FF:EE:12:34:56", "kind": "button", "connected": true,
                "values": {"pressed": "01 02"},
                "events": [{"on": "notification", "attribute": "0x002A", "value": "pressed", "session": "hall", "event": "pass"}]
            },
            {
                "name": "bell", "address": "C0:FF:EE:00:00:02", "kind": "button",
                "events": [
                    {"on": "indication", "attribute": 16, "session": "main", "event": "startPlaying"},
                    {"on": "connect", "session": "hall", "event": "pass"},
                    {"on": "disconnect", "session": "hall", "event": "pass"}
                ]
            },
            {
                "name": "dial", "address": "C0:FF:EE:00:00:03", "kind": "sensor", "connected": true,
                "events": [
                    {"on": "notification", "attribute": "0x0021", "value": "01*", "session": "main", "event": "chooseEpisode", "payloadFrom": "uint8", "skip": 1},
                    {"on": "notification", "attribute": "0x0021", "value": "02*", "session": "main", "event": "chooseLevel", "payloadFrom": "uint8", "skip": 1, "field": "level"}
                ]
            },
            {
                "name": "beacon", "address": "C0:FF:EE:00:00:04", "kind": "beacon",
                "advertises": {"service": "FEAA", "data": "00"},
                "events": [{"on": "advertisement", "service": "FEAA", "session": "hall", "event": "pass"}]
            }
        ]
    }
    """

final class DeviceHost {
    let host: Commands.Host
    let source: BluetoothSource
    let folder = FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8))")
    private let lines = Lines()
    private let clock = VirtualClock()
    private lazy var client = LocalClient(of: host)

    /// With a session `main` of the flow game and a session `hall` of the flow turns.
    init(_ devices: String? = exampleDevices) throws {
        host = Commands.Host(
            on: Timekeeper(clock), flows: [.flow(Game.self), .flow(Turns.self), .flow(Latch.self)], commands: .all,
            log: lines.log)
        source = BluetoothSource(of: host) { [log = host.log] in log.notice($0) }
        host.devices = source
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        host.timekeeper.beginTurn()
        try host.begin("main", flow: "game")
        try host.begin("hall", flow: "turns")
        if let devices { try source.load(file("devices.json", devices)) }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Moves the time on, as in the middle of an ADVANCE: other sessions are still firing, and none here has fired a timer yet.
    func enterMiddleOfInstant(after duration: Duration) {
        clock.move(to: clock.now.advanced(by: duration))
        host.timekeeper.beginTurn()
        host.isMidInstant = true
    }

    /// Lines logged since the last call.
    func takeLog() -> [String] {
        defer { lines.texts = [] }
        return log
    }

    var log: [String] { lines.texts }

    /// The host's log, without the levels of its lines.
    private final class Lines {
        var texts: [String] = []

        var log: Log {
            Log(level: .notice, style: .journal) { [unowned self] line in
                texts.append(String(decoding: line.dropFirst("<5>".utf8.count).dropLast(), as: UTF8.self))
                return true
            }
        }
    }

    /// Writes a file and returns its path.
    @discardableResult
    func file(_ name: String, _ content: String) throws -> String { try file(name, Array(content.utf8)) }

    @discardableResult
    func file(_ name: String, _ content: [UInt8]) throws -> String {
        let url = folder.appending(path: name)
        try Data(content).write(to: url)
        return url.path
    }

    /// Runs a command and returns its reply as text: a text, a number, or an error's code and message.
    @discardableResult
    func say(_ line: String) -> String {
        switch client.run(line.split(separator: " ").map(String.init)).last {
        case .integer(let number): "\(number)"
        case .error(let code, let text): "\(code) \(text)"
        case let reply: reply?.text ?? "\(String(describing: reply))"
        }
    }

    func state(_ session: String) throws -> String {
        let entries = try #require(client.run(["STATE", session]).last?.pairs)
        return try #require(entries["state"]?.text)
    }

    /// Returns the events of a session, the oldest first: millisecond, event, source, and whether it was refused.
    /// Operator actions, such as its creation, are left out.
    func history(_ session: String) throws -> [String] {
        guard case .array(let entries) = client.run(["HISTORY", session, "COUNT", "50"]).last else { return [] }
        let now = Int(host.timekeeper.now.nanoseconds / 1_000_000)
        return try entries.reversed().map(\.pairs).filter { $0["what"]?.text != "begun" }.map { entry in
            guard case .integer(let ago) = entry["ago_ms"], let event = entry["event"]?.text, let source = entry["source"]?.text
            else { throw CancellationError() }
            return "\(now - ago) \(event) \(source)" + (entry["refused"]?.text == nil ? "" : " refused")
        }
    }

    /// Returns the history of events from Bluetooth devices only.
    func bluetoothHistory(_ session: String) throws -> [String] {
        try history(session).filter { $0.contains("bluetooth") }.map { $0.replacing(" bluetooth", with: "") }
    }

    func device(_ name: String) throws -> [String: Reply] {
        guard case .array(let devices) = client.run(["BLUETOOTH", "LIST"]).last else { return [:] }
        return try #require(devices.map(\.pairs).first { $0["name"]?.text == name })
    }

    /// Starts a replay of a capture.
    func replay(_ capture: [UInt8]) throws {
        try source.replay(file("replayed.btsnoop", capture))
        source.start()
        say("ADVANCE 0")
    }
}

extension Reply {
    /// The values of a map by their keys; empty if the reply is not a map.
    var pairs: [String: Reply] {
        guard case .map(let pairs) = self else { return [:] }
        return Dictionary(pairs.map { ($0.key.text ?? "", $0.value) }) { first, _ in first }
    }
}

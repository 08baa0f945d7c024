// The accounts of the flow `onboarding`, read from a real file.

import BuiltInFlows
import Foundation
import Synchronization
import TestSupport
import Testing
@testable import GameDaemon

@Suite struct `The accounts file` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private var path: String { folder.path + "/accounts.json" }

    private func accounts(_ text: String?) throws -> AccountFile {
        if let text { try text.write(toFile: path, atomically: false, encoding: .utf8) }
        return AccountFile(path) { _ in }
    }

    private static let example = #"""
        { "kiosk-1": { "name": "Ann", "devices": ["aa:bb:cc:dd:ee:00"] }, "*": { "name": "Guest" } }
        """#

    @Test func `A byte order mark at the beginning of the accounts is ignored`() async throws {
        #expect(try await accounts("\u{FEFF}" + Self.example).load(for: "kiosk-1") { _ in } == "Ann")
    }

    @Test func `Each session gets its own account, and the star entry applies to all others`() async throws {
        let accounts = try accounts(Self.example)
        #expect(try await accounts.load(for: "kiosk-1") { _ in } == "Ann")
        #expect(try await accounts.load(for: "kiosk-2") { _ in } == "Guest")
        try Self.example.replacing("Ann", with: "Ben").write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await accounts.load(for: "kiosk-1") { _ in } == "Ben")
    }

    @Test(arguments: [
        (nil, "the accounts cannot be read"), ("{ broken", "the accounts cannot be read"), ("", "the accounts cannot be read"),
        ("[]", "the accounts must be an object, with an entry per session"), ("{}", "there is no account for 'room'"),
        (#"{"room": 7}"#, "the account of 'room' needs a name of 1 to 100 characters"),
        (#"{"room": {"name": ""}}"#, "the account of 'room' needs a name of 1 to 100 characters"),
        (#"{"room": {"name": "Ann", "devices": "x"}}"#, "the devices of 'room' must be a list of MAC addresses"),
        (
            #"{"room": {"name": "Ann", "devices": ["x"]}}"#,
            "a device of 'room' is no MAC address like AA:BB:CC:DD:EE:FF"
        ),
        (#"{"room": {"name": ""# + String(repeating: "x", count: 1 << 20) + #""}}"#, "the accounts cannot be read"),
    ])
    func `An unreadable or invalid account fails with an error that names the problem`(
        text: String?, sentence: String
    ) async throws {
        let accounts = try accounts(text)
        let error = await #expect(throws: AccountFile.Unavailable.self) { try await accounts.load(for: "room") { _ in } }
        #expect(error?.description == sentence)
    }

    @Test func `An unreadable accounts file is reported to the operator with its path and the reason`() async throws {
        let told = Mutex<[String]>([])
        let accounts = AccountFile(path) { sentence in told.withLock { $0.append(sentence) } }
        _ = try? await accounts.load(for: "room") { _ in }
        #expect(
            told.withLock { $0 } == [
                "onboarding of 'room': cannot read \(path): No such file or directory (--accounts \(path))"
            ])
    }

    @Test func `Reading a large accounts file reports progress to every waiting session`() async throws {
        let padding = String(repeating: "x", count: 500_000)
        let accounts = try accounts(#"{"*": {"name": "Guest", "note": "\#(padding)"}}"#)
        let percents = try await withThrowingTaskGroup(of: [Int].self) { group in
            for number in 1...20 {
                group.addTask {
                    let seen = Mutex<[Int]>([])
                    let name = try await accounts.load(for: "room-\(number)") { percent in seen.withLock { $0.append(percent) }
                    }
                    #expect(name == "Guest")
                    return seen.withLock { $0 }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(percents.contains { $0 == [13, 26, 39, 52, 65, 78, 91] }, "\(percents)")
        #expect(percents.allSatisfy { $0 == $0.sorted() })
    }

    @Test func `A FIFO as accounts file is refused without blocking`() async throws {
        try #require(mkfifo(path, 0o600) == 0)
        let accounts = AccountFile(path) { _ in }
        await #expect(throws: AccountFile.Unavailable.self) { try await accounts.load(for: "room") { _ in } }
    }

    @Test func `A device must be one of the account's devices, if the account lists any`() async throws {
        let accounts = try accounts(Self.example)
        let (own, other) = (try #require(MACAddress("AA-BB-CC-DD-EE-00")), try #require(MACAddress("AA:BB:CC:DD:EE:02")))
        try await accounts.check(own, for: "kiosk-1")
        try await accounts.check(other, for: "kiosk-2")
        let error = await #expect(throws: AccountFile.Unavailable.self) { try await accounts.check(other, for: "kiosk-1") }
        #expect(error?.description == "AA:BB:CC:DD:EE:02 is not one of the account's devices")
    }

    @Test(arguments: ["FF:FF:FF:FF:FF:FF", "00:00:00:00:00:00", "01:00:5E:00:00:01"])
    func `A broadcast, multicast or null MAC address is refused`(text: String) async throws {
        let accounts = try accounts(Self.example)
        let mac = try #require(MACAddress(text))
        await #expect(throws: AccountFile.Unavailable.self) { try await accounts.check(mac, for: "kiosk-2") }
    }
}

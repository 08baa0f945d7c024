// The accounts of the flow `onboarding`: a JSON file with an entry per session, read off the loop.

import BuiltInFlows
import GameFlow
import Posix
import Texts

/// A file that the operator names, with an entry per session:
///
///     { "kiosk-1": { "name": "Ann", "devices": ["AA:BB:CC:DD:EE:FF"] }, "*": { "name": "Guest" } }
///
/// The entry `*` is for all sessions that have none. The file is read for each load of an account and each check of a device. Concurrent requests share
/// one reading, so that they occupy one thread, and memory for one copy of the file.
actor AccountFile: AccountLoader, DeviceChecker {
    static let maxBytes = 1 << 20

    /// A sentence for people who use the session, which does not name the file, or for the operator.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String?
    /// Logs the reason, with the file's path, for the operator.
    private let complain: @Sendable (String) -> Void
    private var reading: Reading?

    /// Without a path there are no accounts.
    init(_ path: String?, _ complain: @escaping @Sendable (String) -> Void) {
        (self.path, self.complain) = (path, complain)
    }

    func load(for session: String, progress: @Sendable (Int) async -> Void) async throws -> String {
        try await entry(of: session, progress).name
    }

    /// The device must be one of those that the account lists. Without a list, any unicast address passes.
    func check(_ mac: MACAddress, for session: String) async throws {
        guard mac.isUnicast else { throw Unavailable(description: "\(mac) is not a unicast address") }
        guard let devices = try await entry(of: session, { _ in }).devices else { return }
        guard devices.contains(mac) else { throw Unavailable(description: "\(mac) is not one of the account's devices") }
    }

    private func entry(of session: String, _ progress: @Sendable (Int) async -> Void) async throws -> AccountEntry {
        guard let path else {
            throw Unavailable(description: "this daemon has no accounts")
        }
        do {
            let accounts = try await accounts(at: path, progress)
            guard let json = accounts[session] ?? accounts["*"] else {
                throw Unavailable(description: "there is no account for '\(session.shortened)'")
            }
            return try AccountEntry(json, of: session)
        } catch let error as CancellationError {
            throw error
        } catch {
            complain("onboarding of '\(session.shortened)': \(error) (--accounts \(path))")
            throw error as? Unavailable ?? Unavailable(description: "the accounts cannot be read")
        }
    }

    // MARK: Reading

    /// One reading, and the sessions that wait for it.
    private final class Reading {
        var waiting: [AsyncStream<Int>.Continuation] = []
        var task: Task<JSON, any Error>?
    }

    private func accounts(at path: String, _ progress: @Sendable (Int) async -> Void) async throws -> JSON {
        let current = reading ?? begin(path)
        let (updates, continuation) = AsyncStream.makeStream(of: Int.self)
        current.waiting.append(continuation)
        let task = current.task
        for await percent in updates { await progress(percent) }
        try Task.checkCancellation()
        return try await task?.value ?? .null
    }

    private func begin(_ path: String) -> Reading {
        let new = Reading()
        reading = new
        new.task = Task {
            defer { finish() }
            return try await read(path)
        }
        return new
    }

    private func read(_ path: String) async throws -> JSON {
        let file = try await blockingWork { try PlainFileReader(path) }
        var bytes: [UInt8] = []
        while let part = try await blockingWork({ try file.next() }) {
            bytes += part
            guard bytes.count <= Self.maxBytes else { throw FileError("read", path, reason: "it has more than 1 MiB") }
            // A small file is there at once, and needs no progress.
            if bytes.count < file.size { report(bytes.count * 100 / file.size) }
        }
        return try await blockingWork { [bytes] in try Self.json(bytes) }
    }

    /// Throws unless every entry of the file is an account.
    static func check(_ path: String) throws(Unavailable) {
        do {
            let bytes = try PlainFile.bytes(path, atMost: maxBytes)
            guard bytes.count <= maxBytes else { throw FileError("read", path, reason: "it has more than 1 MiB") }
            guard case .object(let members) = try json(bytes) else { return }
            for member in members { _ = try AccountEntry(member.value, of: member.name) }
        } catch {
            let error = error as? FileError ?? FileError("read", path, reason: "\(error)")
            throw Unavailable(description: error.description)
        }
    }

    private static func json(_ bytes: [UInt8]) throws -> JSON {
        let json = try JSON(parsing: String(decoding: bytes.withoutByteOrderMark, as: UTF8.self))
        guard case .object = json else {
            throw Unavailable(description: "the accounts must be an object, with an entry per session")
        }
        return json
    }

    private func report(_ percent: Int) {
        for session in reading?.waiting ?? [] { session.yield(percent) }
    }

    private func finish() {
        for session in reading?.waiting ?? [] { session.finish() }
        reading = nil
    }
}

private struct AccountEntry {
    let name: String
    /// Nil if any unicast address passes.
    let devices: [MACAddress]?

    init(_ json: JSON, of session: String) throws {
        guard let name = json["name"]?.text, Onboarding.account.allows(.string(name)) else {
            throw AccountFile.Unavailable(
                description: "the account of '\(session.shortened)' needs a name of 1 to 100 characters")
        }
        self.name = name
        guard let list = json["devices"], list != .null else {
            devices = nil
            return
        }
        guard case .array(let texts) = list else {
            throw AccountFile.Unavailable(description: "the devices of '\(session.shortened)' must be a list of MAC addresses")
        }
        devices = try texts.map { text in
            guard let mac = text.text.flatMap({ MACAddress($0) }) else {
                throw AccountFile.Unavailable(
                    description: "a device of '\(session.shortened)' is no MAC address like AA:BB:CC:DD:EE:FF")
            }
            return mac
        }
    }
}

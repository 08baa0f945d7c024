// `gamed.flight`, in the data directory: a mapped page that outlives the process and names the session in progress, followed
// by the names that its numbers stand for.

import CTrap
import EventLoop
import GameFlow
import Glibc
import Memory
import Posix
import Sessions
import Store
import Texts

struct FlightFile: Sendable {
    static let name = "gamed.flight"
    private static let magic: [UInt8] = Array("gamedflt".utf8)
    private static let version: UInt32 = 1
    private static let headerSize = MemoryLayout<gamed_flight>.size
    private static let maxNameBytes = 16 << 20

    let path: String

    init(in directory: String) {
        path = directory + "/" + Self.name
    }

    // MARK: Reading

    /// Contents left by the previous daemon.
    enum Contents {
        case nothing
        /// With a sentence for the log.
        case damaged(String)
        case record(FlightRecord)
    }

    func read() throws(StoreError) -> Contents {
        guard let file = Descriptor(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) else {
            if errno == ENOENT { return .nothing }
            throw StoreError(
                .unusable, "\(path) cannot be read: \(systemErrorText(errno)); the daemon keeps its own file there")
        }
        guard let status = FileStatus(of: file.number), status.isFile else {
            throw StoreError(.unusable, "\(path) is not a regular file; the daemon keeps its own file there: move it away")
        }
        guard status.st_size <= Self.headerSize + Self.maxNameBytes else { return damaged("it is too long") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file.number, &bytes, bytes.count, 0)
        guard count >= 0 else { throw StoreError(.failed, "\(path) could not be read: \(systemErrorText(errno))") }
        return contents(bytes[..<count])
    }

    private func contents(_ bytes: ArraySlice<UInt8>) -> Contents {
        guard bytes.count >= Self.headerSize else { return damaged("it is cut off") }
        let header = bytes.withUnsafeBytes { $0.loadUnaligned(as: gamed_flight.self) }
        guard bytes.starts(with: Self.magic), header.version == Self.version else {
            return damaged("it belongs to another program")
        }
        guard bytes.count - Self.headerSize >= Int(header.names) else { return damaged("it is cut off") }
        let names = bytes[(bytes.startIndex + Self.headerSize)...].prefix(Int(header.names))
        guard header.checksum == Self.checksum(names, header.identity), let names = FlightNames(bytes: names) else {
            return damaged("it does not match its checksum")
        }
        let signal = Int32(truncatingIfNeeded: header.signal)
        let mark = signal == 0 ? nil : FlightMark(word: header.mark)
        return .record(FlightRecord(mark: mark, signal: signal, identity: header.identity, names: names))
    }

    private func damaged(_ how: String) -> Contents {
        .damaged("\(path) is damaged (\(how)); it is replaced: if the daemon died of a trap, the session at fault is unknown")
    }

    // MARK: Writing

    /// Replaces the file with a new record, in which no session is being handled.
    func make(_ names: FlightNames, identity: Int64) throws(StoreError) -> UnsafeMutablePointer<gamed_flight> {
        let draft = path + ".new"
        unlink(draft)
        guard let file = Descriptor(open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)) else {
            throw cannotBeMade(errno)
        }
        do throws(StoreError) {
            try write(Self.bytes(names.bytes, identity), to: file)
            let mapped = try map(file)
            guard rename(draft, path) == 0 else { throw cannotBeMade(errno) }
            return mapped
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func bytes(_ names: [UInt8], _ identity: Int64) -> [UInt8] {
        var header = gamed_flight()
        withUnsafeMutableBytes(of: &header.magic) { $0.copyBytes(from: magic) }
        header.version = version
        header.names = UInt32(truncatingIfNeeded: names.count)
        header.identity = identity
        header.checksum = checksum(names[...], identity)
        return withUnsafeBytes(of: header) { Array($0) } + names
    }

    /// Allocates the whole page on disk: writing to a mapped page that a full disk has no room for raises a signal.
    private func write(_ bytes: [UInt8], to file: borrowing Descriptor) throws(StoreError) {
        let failure = posix_fallocate(file.number, 0, off_t(max(bytes.count, Self.mappedSize)))
        guard failure == 0 else { throw cannotBeMade(failure) }
        let count = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count else { throw cannotBeMade(count < 0 ? errno : ENOSPC) }
    }

    static var mappedSize: Int { 4_096 }

    private func map(_ file: borrowing Descriptor) throws(StoreError) -> UnsafeMutablePointer<gamed_flight> {
        let memory = mmap(nil, Self.mappedSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
        guard let memory, memory != MAP_FAILED else { throw cannotBeMade(errno) }
        return memory.bindMemory(to: gamed_flight.self, capacity: 1)
    }

    private func cannotBeMade(_ error: Int32) -> StoreError {
        StoreError(error == ENOSPC || error == EDQUOT ? .full : .failed, "cannot create \(path): \(systemErrorText(error))")
    }

    /// Clears the signal once its session is quarantined, so that the next start does not quarantine it again.
    func clearSignal() throws(StoreError) {
        guard let file = Descriptor(open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)) else { throw cannotBeMade(errno) }
        let none: UInt32 = 0
        let offset = off_t(MemoryLayout<gamed_flight>.offset(of: \.signal) ?? 0)
        let count = withUnsafeBytes(of: none) { pwrite(file.number, $0.baseAddress, $0.count, offset) }
        guard count == MemoryLayout<UInt32>.size, fdatasync(file.number) == 0 else { throw cannotBeMade(errno) }
    }

    func remove() { unlink(path) }

    private static func checksum(_ names: ArraySlice<UInt8>, _ identity: Int64) -> UInt64 {
        var sum = FNV1a(names)
        sum.add(number: UInt64(bitPattern: identity))
        return sum.value
    }
}

// MARK: - A page of memory that names the session in progress

final class FlightPage: Sendable {
    /// Written by the loop's thread, and by the handler of its trap.
    private nonisolated(unsafe) let header: UnsafeMutablePointer<gamed_flight>

    /// From now on a trap wakes `call`, and ends the process once `answer` is woken, or this time has passed.
    init(calling call: Waker, answeredBy answer: Waker, atMost milliseconds: Int32) throws(LoopFailure) {
        let memory = mmap(nil, FlightFile.mappedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .cannotStart(systemErrorText(errno)) }
        header = memory.bindMemory(to: gamed_flight.self, capacity: 1)
        let failure = gamed_trap_watch(header, FlightFile.mappedSize)
        guard failure == 0 else { throw .cannotStart(systemErrorText(failure)) }
        gamed_trap_call(call.descriptor, answer.descriptor, milliseconds)
    }

    func begin(for sessions: Sessions) { sessions.flightRecorder = FlightRecorder(in: header) }

    func end(for sessions: Sessions) {
        sessions.flightRecorder = nil
        gamed_trap_ignore()
    }

    /// The mark set when the trap ended the daemon; nil if there was no trap.
    var trapped: FlightMark? { header.pointee.signal == 0 ? nil : FlightMark(word: header.pointee.mark) }
}

extension FlightRecorder {
    /// Marks are written into this header.
    init?(in header: UnsafeMutablePointer<gamed_flight>) {
        guard let offset = MemoryLayout<gamed_flight>.offset(of: \.mark) else { return nil }
        self.init(SharedWord(at: UnsafeMutableRawPointer(header) + offset))
    }
}

// MARK: - The flight record that the previous daemon left, and its sentences

package struct FlightRecord: Sendable {
    /// The daemon's mark when a trap ended it; nil if it ended otherwise, or was handling no session.
    let mark: FlightMark?
    let signal: Int32
    /// The database that its sessions were in.
    let identity: Int64
    let names: FlightNames

    /// Why the session is quarantined.
    static func problem(_ mark: FlightMark, _ names: FlightNames, session: String, flow: String) -> String {
        "the daemon died while \(activityText(mark, names, "'\(session.shortened)'", flow))"
    }

    private static func activityText(_ mark: FlightMark, _ names: FlightNames, _ session: String, _ flow: String) -> String {
        switch mark.activity {
        case .event: "\(session) handled \(names.event(mark.number, ofFlow: flow).map { "'\($0)'" } ?? "an event")"
        case .timer: "\(session) handled \(timer(names.timer(mark.number, ofFlow: flow)))"
        case .work: "the work of \(session) was done"
        case .read: "\(session) was read"
        case .force: "\(session) was forced into another state"
        case .command: command(names.command(mark.number), session)
        case .restoring: "\(session) was being restored"
        }
    }

    private static func timer(_ timer: (name: String, event: String?)?) -> String {
        guard let timer else { return "a timer" }
        return timer.event.map { "'\($0)' of its timer '\(timer.name)'" } ?? "its timer '\(timer.name)'"
    }

    private static func command(_ command: (name: String, changes: Bool)?, _ session: String) -> String {
        guard let command else { return "a command was executed on \(session)" }
        return command.changes ? "\(command.name) was executed on \(session)" : "\(command.name) read \(session)"
    }

    /// Describes the daemon's death when there is no session to quarantine.
    func problemWithoutSession(_ mark: FlightMark) -> String {
        guard mark.activity == .command, let command = names.command(mark.number) else {
            return "it died in a session that is not on disk"
        }
        return "it died while \(command.name) was executed on a session that is not on disk"
    }

    /// The signal's name, such as `SIGILL`.
    var signalName: String {
        let names = [
            SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGABRT: "SIGABRT",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}

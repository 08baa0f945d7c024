// What the simulated devices do, written to a btsnoop file that Wireshark and its like can read.

import Bluetooth
import Glibc
import Posix

/// A capture that is being written. Packets collect until the end of the turn and are then written at once: to the system's memory,
/// which takes them without waiting for the disk as long as it has room.
final class Recording {
    private enum State {
        /// Whether the file may be written to is not known yet: not a byte goes there.
        case opening
        case writing
        /// Something went wrong, or it is over: what comes now is not recorded.
        case ended
    }

    private static let muchToWrite = 256 << 10

    let path: String
    private let descriptor: Descriptor
    private let writer = CaptureWriter()
    private let log: (String) -> Void
    private var state = State.opening
    private var buffer: [UInt8]
    /// How much of the file is whole records.
    private var byteCount = 0

    /// Begins the file anew. One that is no capture is left alone, and so is the one that is being replayed.
    init(_ path: String, replaying replayed: FileIdentity?, log: @escaping (String) -> Void) throws(BluetoothFileError) {
        self.path = path
        self.log = log
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        guard let descriptor = Descriptor(open(path, flags, 0o640)) else {
            throw BluetoothFileError(description: FileError("record to", path, errno).description)
        }
        self.descriptor = descriptor
        buffer = writer.header
        try makeRoom(replayed)
        state = .writing
    }

    deinit {
        end()
    }

    func add(_ packet: HCIPacket, at time: CaptureTime) {
        guard state == .writing else { return }
        buffer += writer.record(packet, at: time)
        if buffer.count > Self.muchToWrite { flush() }
    }

    /// Writes what has collected.
    func flush() {
        guard state == .writing, !buffer.isEmpty else { return }
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return giveUp(errno) }
            rest = rest.dropFirst(count)
        }
        byteCount += buffer.count
        buffer.removeAll(keepingCapacity: buffer.count < Self.muchToWrite)
    }

    func end() {
        flush()
        state = .ended
    }

    private func makeRoom(_ replayed: FileIdentity?) throws(BluetoothFileError) {
        guard let file = FileIdentity(descriptor.number), file.isRegular else { return }
        if let replayed, file.isSame(as: replayed) {
            throw BluetoothFileError(description: "cannot record to \(path): it is the capture that is being replayed")
        }
        if file.byteCount > 0, !beginsAsCapture {
            throw BluetoothFileError(description: "cannot record to \(path): it holds something else than a btsnoop capture")
        }
        guard ftruncate(descriptor.number, 0) == 0 else {
            throw BluetoothFileError(description: "cannot record to \(path): \(systemErrorText(errno))")
        }
    }

    private var beginsAsCapture: Bool {
        var start = [UInt8](repeating: 0, count: 8)
        return pread(descriptor.number, &start, start.count, 0) == start.count && start[...] == writer.header.prefix(8)
    }

    /// Leaves a file that ends with a whole record.
    private func giveUp(_ error: Int32) {
        state = .ended
        buffer = []
        if FileIdentity(descriptor.number)?.isRegular == true { ftruncate(descriptor.number, byteCount) }
        log("recording to \(path) has ended: \(systemErrorText(error)); the devices go on unrecorded")
    }
}

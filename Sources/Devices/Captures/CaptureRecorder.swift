// Records simulated devices to a btsnoop file, which Wireshark reads.

import Bluetooth
import Glibc
import Posix

/// A capture being written. Packets are buffered until the end of the turn and written at once, to the page cache.
final class CaptureRecorder {
    private static let muchToWrite = 256 << 10

    let path: String
    private let descriptor: Descriptor
    private static let datalink = Datalink.h4
    private let log: (String) -> Void
    /// Whether it has failed, or records nothing more.
    private var hasEnded = false
    private var buffer: [UInt8]
    /// Bytes of complete records in the file.
    private var byteCount = 0

    /// Truncates an older capture. Throws if the file is not a capture, is the one being replayed, or is being recorded.
    init(_ path: String, replaying replayed: stat?, log: @escaping (String) -> Void) throws(BluetoothFileError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        guard let descriptor = Descriptor(open(path, flags, 0o640)) else {
            throw BluetoothFileError(FileError("record to", path, errno).description)
        }
        if try Self.checkRoom(descriptor.number, path, replayed) {
            // Held until the descriptor is closed: two daemons would overwrite each other's records.
            if flock(descriptor.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                throw BluetoothFileError("cannot record to \(path): another daemon records to it")
            }
            if ftruncate(descriptor.number, 0) != 0 {
                throw BluetoothFileError("cannot record to \(path): \(systemErrorText(errno))")
            }
        }
        (self.path, self.log, buffer) = (path, log, Self.datalink.header)
        self.descriptor = descriptor
    }

    deinit {
        end()
        // Closing alone would leave it locked while a child between fork and exec has it open.
        flock(descriptor.number, LOCK_UN)
    }

    /// Ends the recording before a packet that would make it longer than `max` bytes.
    func add(_ packet: HCIPacket, at time: CaptureTime, atMost max: Int) {
        guard !hasEnded else { return }
        let record = CaptureRecord(packet, at: time, on: Self.datalink).serialized
        guard byteCount + buffer.count + record.count <= max else { return endAtLimit(max) }
        buffer += record
        if buffer.count > Self.muchToWrite { flush() }
    }

    /// Writes the buffer.
    func flush() {
        guard !hasEnded, !buffer.isEmpty else { return }
        guard descriptor.write(all: buffer) else { return abort(because: errno) }
        byteCount += buffer.count
        buffer.removeAll(keepingCapacity: buffer.count < Self.muchToWrite)
    }

    func end() {
        flush()
        hasEnded = true
    }

    /// Whether it is a file, which may be overwritten; throws if it may not.
    private static func checkRoom(
        _ descriptor: Int32, _ path: String, _ replayed: stat?
    ) throws(BluetoothFileError) -> Bool {
        guard let file = FileStatus(of: descriptor), file.isFile else { return false }
        if file.identity == replayed?.identity {
            throw BluetoothFileError("cannot record to \(path): it is the capture that is being replayed")
        }
        if file.st_size > 0, !beginsAsCapture(descriptor) {
            throw BluetoothFileError("cannot record to \(path): it holds something other than a btsnoop capture")
        }
        return true
    }

    private static func beginsAsCapture(_ descriptor: Int32) -> Bool {
        var start = [UInt8](repeating: 0, count: 8)
        return pread(descriptor, &start, start.count, 0) == start.count && start[...] == datalink.header.prefix(8)
    }

    /// Whether it could record there, found out without doing it.
    static func check(_ path: String, replaying replayed: stat?) throws(BluetoothFileError) {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        if let descriptor = Descriptor(open(path, flags)) {
            _ = try checkRoom(descriptor.number, path, replayed)
            return
        }
        guard errno == ENOENT, access(parentDirectory(of: path), W_OK | X_OK) == 0 else {
            throw BluetoothFileError(FileError("record to", path, errno).description)
        }
    }

    private func endAtLimit(_ max: Int) {
        end()
        log(
            "recording to \(path) has ended: it has \(byteCount) bytes, and the limit record-bytes is \(max) (--limit record-bytes=N); "
                + "the devices continue without a recording")
    }

    /// Stops, and truncates the file after its last complete record. Of anything but a file, that changes nothing.
    private func abort(because error: Int32) {
        hasEnded = true
        buffer = []
        ftruncate(descriptor.number, byteCount)
        log("recording to \(path) has ended: \(systemErrorText(error)); the devices continue without a recording")
    }
}

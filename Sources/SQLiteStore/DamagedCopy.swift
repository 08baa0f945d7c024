// Copies a damaged database as it is, before the daemon goes on without its damaged parts.

import Glibc
import Store

enum DamagedCopy {
    /// Copies the database, its log and its index beside them, replacing nothing, and returns the copy's name.
    static func make(of database: String) throws(StoreError) -> String {
        let copy = freeName(database)
        var made: [String] = []
        do throws(StoreError) {
            for ending in ["", "-wal", "-shm"] where access(database + ending, F_OK) == 0 {
                made.append(copy + ending)
                try self.copy(database + ending, to: copy + ending)
            }
            try Schema.syncDirectory(of: database)
        } catch {
            for path in made { unlink(path) }
            throw error
        }
        return copy
    }

    private static func freeName(_ database: String) -> String {
        var number = 1
        while ["", "-wal", "-shm"].contains(where: { access("\(database).damaged-\(number)\($0)", F_OK) == 0 }) { number += 1 }
        return "\(database).damaged-\(number)"
    }

    private static func copy(_ source: String, to target: String) throws(StoreError) {
        let input = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard input >= 0 else { throw .system(errno, "\(source) cannot be opened") }
        defer { close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .system(errno, "cannot create \(target)") }
        defer { close(output) }
        try copy(input, output, target)
        guard fsync(output) == 0 else { throw .system(errno, "\(target) cannot be written") }
    }

    private static func copy(_ input: Int32, _ output: Int32, _ target: String) throws(StoreError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
        defer { buffer.deallocate() }
        while case let count = read(input, buffer.baseAddress, buffer.count), count != 0 {
            guard count > 0 else { throw .system(errno, "what is to be kept as \(target) cannot be read") }
            var written = 0
            while written < count {
                let result = write(output, buffer.baseAddress.map { $0 + written }, count - written)
                guard result > 0 else { throw .system(errno, "\(target) cannot be written") }
                written += result
            }
        }
    }
}

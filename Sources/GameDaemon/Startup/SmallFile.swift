// A small file, read whole and written whole.

import Glibc

/// Why a file cannot be read or written, in a sentence.
struct FileError: Error, CustomStringConvertible {
    let description: String

    /// For what has just failed.
    init(_ what: String, _ path: String) {
        description = "cannot \(what) \(path): \(systemErrorText(errno))"
    }
}

struct SmallFile {
    /// More than this is not what it should be.
    private static let mostBytes = 1 << 20

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// What is in it; nil if there is no such file.
    func text() throws(FileError) -> String? {
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC)) else {
            if errno == ENOENT { return nil }
            throw FileError("read", path)
        }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while bytes.count < Self.mostBytes {
            let count = read(file.number, &part, part.count)
            if count == 0 { break }
            guard count > 0 else { throw FileError("read", path) }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Either all of it is there afterwards or what was there before.
    func replace(with text: String) throws(FileError) {
        let draft = "\(path).\(getpid()).new"
        do throws(FileError) {
            try write(text, to: draft)
            guard rename(draft, path) == 0 else { throw FileError("write", path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private func write(_ text: String, to draft: String) throws(FileError) {
        guard let file = Descriptor(open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)) else {
            throw FileError("write", draft)
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            guard count > 0 else { throw FileError("write", draft) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file.number) == 0 else { throw FileError("write", draft) }
    }
}

// A small file, read whole and written whole.

import Glibc

/// Why a file cannot be read or written, in a sentence.
struct FileError: Error, CustomStringConvertible {
    let description: String
    /// The path left out: `Permission denied`.
    let reason: String

    /// For what has just failed.
    init(_ what: String, _ path: String) {
        self.init(what, path, reason: systemErrorText(errno))
    }

    init(_ what: String, _ path: String, reason: String) {
        self.reason = reason
        description = "cannot \(what) \(path): \(reason)"
    }
}

struct SmallFile {
    private let path: String
    /// More than this is not what it should be.
    private let mostBytes: Int

    init(_ path: String, atMost mostBytes: Int = 1 << 20) {
        self.path = path
        self.mostBytes = mostBytes
    }

    /// What is in it; nil if there is no such file.
    func text() throws(FileError) -> String? {
        try bytes().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same, as it is.
    func bytes() throws(FileError) -> [UInt8]? {
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC)) else {
            if errno == ENOENT { return nil }
            throw FileError("read", path)
        }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while bytes.count <= mostBytes {
            let count = read(file.number, &part, part.count)
            if count == 0 { return bytes }
            guard count > 0 else { throw FileError("read", path) }
            bytes += part[..<count]
        }
        throw FileError("read", path, reason: "it is larger than \(mostBytes >> 20) MB")
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

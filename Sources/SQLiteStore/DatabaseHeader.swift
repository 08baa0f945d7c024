// The database's header, read without SQLite: the file must be known to be ours before SQLite could change anything.

import Glibc
import Posix
import Store

/// The first hundred bytes of a database.
struct DatabaseHeader {
    /// "gmd7". It changes with each format before the first release.
    static let applicationID: UInt32 = 0x676D_6437
    /// Formats that no release has written.
    private static let drafts: [UInt32] = [
        0x6761_6D64, 0x676D_6431, 0x676D_6432, 0x676D_6433, 0x676D_6434, 0x676D_6435, 0x676D_6436,
    ]

    private static let size = 100
    private static let magic: [UInt8] = Array("SQLite format 3\0".utf8)

    private let bytes: [UInt8]
    private let fileSize: Int
    /// Whether the file has a hard link of another name.
    let hasSecondName: Bool

    /// Nil if the file is missing.
    static func read(_ path: String) throws(StoreError) -> DatabaseHeader? {
        guard let status = FileStatus(at: path, followingLinks: false) else {
            if errno == ENOENT { return nil }
            throw .system(errno, "\(path) cannot be checked")
        }
        guard status.isFile else {
            throw StoreError(.foreign, "\(path) is not a plain file; the daemon needs one, in the directory that --data names")
        }
        // Opened for writing too, to learn whether that is allowed; nothing is written. Closed before SQLite opens the file, as
        // closing any descriptor of a file releases the locks that SQLite has on it.
        guard let file = Descriptor(open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)) else {
            throw .system(errno, "\(path) cannot be opened for reading and writing")
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = pread(file.number, &bytes, size, 0)
        guard count >= 0 else { throw .system(errno, "\(path) cannot be read") }
        return DatabaseHeader(bytes: Array(bytes[..<count]), fileSize: Int(status.st_size), hasSecondName: status.st_nlink > 1)
    }

    /// Throws if the header shows that the file cannot be used.
    func check(_ path: String, hasLog: Bool) throws(StoreError) {
        guard fileSize > 0 else { throw .damaged(path, "it is empty") }
        guard bytes.starts(with: Self.magic) else { throw foreign(path, "it is not an SQLite database") }
        guard bytes.count == Self.size else { throw .damaged(path, "it ends after \(fileSize) bytes") }
        guard !Self.drafts.contains(applicationID) else {
            throw StoreError(
                .older,
                "\(path) was written before the first release, in a format that no release reads; it was left as it is: run the version "
                    + "that wrote it, or move the file away to start empty")
        }
        guard applicationID == Self.applicationID else {
            throw foreign(path, "it is another program's database: its application id is \(applicationID)")
        }
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            throw .damaged(path, "its header gives the page size \(pageSize), which is impossible")
        }
        try Schema.checkVersion(Int64(number(at: 60)), path)
        try checkLength(path, hasLog: hasLog)
    }

    /// With a log, pages missing here may be there, which SQLite finds out.
    private func checkLength(_ path: String, hasLog: Bool) throws(StoreError) {
        let pages = Int(number(at: 28))
        let isCurrent = number(at: 24) == number(at: 92)
        guard isCurrent, !hasLog, fileSize < pages * pageSize else { return }
        throw .damaged(path, "it has \(fileSize) bytes of \(pages * pageSize)")
    }

    private func foreign(_ path: String, _ how: String) -> StoreError {
        StoreError(
            .foreign, "\(path) is not gamed's (\(how)); it was left as it is: give --data another directory, or move it away")
    }

    private var applicationID: UInt32 { number(at: 68) }

    var pageSize: Int {
        let stored = Int(bytes[16]) << 8 | Int(bytes[17])
        return stored == 1 ? 65_536 : stored
    }

    private func number(at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

// The daemon that answers at a socket already, asked what it holds.

import Glibc
import Posix
import RESP

/// What a running daemon says of itself.
struct AnsweringDaemon: Equatable {
    /// How long it may take to answer.
    private static let seconds = 2

    let process: Int
    /// The TCP ports that it listens at.
    let ports: [Substring]

    /// Nil if nothing answers there, or something that is no gamed.
    init?(at path: String) {
        guard let address = try? UnixAddress(path: path), let text = Self.information(from: address) else { return nil }
        self.init(saying: text)
    }

    /// Reads INFO's section `Server`.
    init?(saying text: String) {
        let lines = text.split(whereSeparator: \.isNewline)
        let field = { (name: String) in lines.first { $0.hasPrefix(name + ":") }?.dropFirst(name.count + 1) }
        guard field("gamed_version") != nil, let process = field("process_id").flatMap({ Int($0) }) else { return nil }
        self.process = process
        ports = (field("addresses") ?? "").split(separator: ", ").compactMap(Self.port)
    }

    /// What follows the last colon: of `[::1]:7654` 7654, of a path nothing.
    static func port(of address: Substring) -> Substring? {
        guard let colon = address.lastIndex(of: ":"), !address.hasPrefix("/") else { return nil }
        return address[address.index(after: colon)...]
    }

    private static func information(from address: UnixAddress) -> String? {
        guard let descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)) else {
            return nil
        }
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor.number, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let request = "INFO server\r\n"
        guard address.withPointer({ connect(descriptor.number, $0, $1) }) == 0,
            Glibc.send(descriptor.number, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count
        else { return nil }
        return reply(descriptor.number)?.text
    }

    private static func reply(_ descriptor: Int32) -> Reply? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 64 << 10 {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            var reader = ReplyReader()
            guard let next = try? bytes.withUnsafeBytes({ try reader.next(in: $0) }) else { continue }
            return next.reply
        }
        return nil
    }
}

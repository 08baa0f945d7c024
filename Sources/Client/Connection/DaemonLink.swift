// A connected descriptor, in clear or through TLS.

import Glibc
import RESP
import TLS

extension ControlError {
    /// A connection that cannot be encrypted.
    fileprivate init(_ error: TLSError, hasOptions: Bool) {
        let sentence = hasOptions ? error.description : error.sentence
        self =
            switch error.cause {
            case .file(let error): .noConnection(because: .file(error))
            case .contents: .noConnection(because: .badFile(sentence))
            case .peer: .noDaemon(sentence)
            }
    }

    /// Whether another attempt would fail, too: a file or an address must change first.
    package var isLasting: Bool {
        switch self {
        case .noConnection, .usage: true
        case .refused, .noDaemon, .badFlow, .badFile, .unreadable, .file, .stream: false
        }
    }
}

/// One thread may receive while another one sends.
package struct DaemonLink: Sendable {
    private static let readSize = 64 << 10

    package let descriptor: Int32
    /// Nil in clear.
    private let secure: TLSClient?

    /// `timeout` is how long anything may take, and `connectTimeout` how long connecting may. Without `tls` the connection is in clear.
    /// `program` starts a daemon, and nil is for a program that does not have the options of ours: errors advise neither.
    package init(
        to address: ServerAddress, _ tls: TLSFiles?, program: String?, timeout: Duration?, connectTimeout: Duration? = nil
    ) throws(ControlError) {
        descriptor = try address.connect(toStart: program, timeout: connectTimeout ?? timeout)
        if connectTimeout != nil { ServerAddress.bound(descriptor, timeout) }
        guard let tls, case .tcp(let server) = address else {
            secure = nil
            return
        }
        do throws(TLSError) {
            secure = try TLSClient(
                descriptor, to: server.host, tls, timeout: timeout, handshakeLimit: connectTimeout ?? .seconds(10))
        } catch {
            Glibc.close(descriptor)
            throw ControlError(error, hasOptions: program != nil)
        }
    }

    /// TLS's reason for the last failure, such as a required certificate.
    package var fault: String? { secure?.fault }

    /// Reads bytes that arrive, and returns their number as `recv` does. It waits for them only if it is patient.
    package func receive(into input: inout ByteQueue, isPatient: Bool = true) -> Int {
        let room = input.room(for: Self.readSize)
        var count: Int
        repeat {
            count =
                secure?.read(into: room, isPatient: isPatient)
                ?? recv(descriptor, room.baseAddress, room.count, isPatient ? 0 : Int32(MSG_DONTWAIT))
        } while count < 0 && errno == EINTR
        if count > 0 { input.commit(count) }
        return count
    }

    /// Sends all bytes. A failure shows when the reply is read, since the daemon may have said why it closes.
    package func send(_ output: inout ByteQueue) {
        while !output.isEmpty {
            let count =
                secure?.send(output.bytes)
                ?? Glibc.send(descriptor, output.bytes.baseAddress, output.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return output.removeAll() }
            output.consume(count)
        }
    }

    /// Ends every call that waits on it.
    package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    package func close() {
        secure?.close()
        Glibc.close(descriptor)
    }
}

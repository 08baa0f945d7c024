// Where the page is served.

import Glibc
import Network
import Posix
import Web

/// The place that the options ask for.
struct PagePlace {
    private let place: Options.Web.Place
    private let isOpen: Bool
    private static let standard = "127.0.0.1:7650"

    init(_ options: Options) throws {
        (place, isOpen) = (options.web.place, options.web.isOpen)
        if isOpen, let asked, !asked.isLoopback {
            let error = UsageError(
                of: "--http-open", "is for loopback: other machines can reach \(asked), and everybody there would be master")
            throw options.located(error, "http-open")
        }
    }

    /// The port of the page; nil if there is to be none.
    static func port(of place: Options.Web.Place) -> UInt16? {
        switch place {
        case .none: nil
        case .address(let address): address.port
        case .standard: HostAndPort(standard)?.port
        }
    }

    /// The address that somebody has asked for; nil for the usual one, which may be taken, and for none.
    var asked: TcpAddress? {
        if case .address(let address) = place { address } else { nil }
    }

    /// A socket that listens there; nil if there is to be no page. `warn` is told why there is none although it would be usual.
    func listening(_ warn: (String) -> Void) throws -> ListeningSocket? {
        switch place {
        case .none: return nil
        case .address(let address): return try TcpListener.listening(at: address)
        case .standard:
            let address = try TcpAddress(Self.standard, option: "--http")
            do throws(ListenerError) {
                return try TcpListener.listening(at: address)
            } catch {
                warn("no page: \(error); --http HOST:PORT serves it elsewhere, --http none is quiet about it")
                return nil
            }
        }
    }
}

extension Service {
    /// What the page needs to know.
    static func settings(of page: TcpAddress, _ options: Options) -> WebSettings {
        var settings = WebSettings(page)
        settings.isOpen = options.web.isOpen
        settings.isEncrypted = options.isEncrypted(page)
        settings.names = options.web.names
        settings.hasOpenMetrics = options.web.hasOpenMetrics
        settings.loginFile = options.dataDirectory.map { "\($0)/logins" }
        settings.pageFolder = environmentVariable("GAMED_PAGE")
        return settings
    }
}

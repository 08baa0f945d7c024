// SIGHUP and RELOAD: files other than those of flows are read again. One with an error keeps everything as it was.

import Commands
import Devices
import Logging
import EventLoop

/// Something that was read at start and can be read again.
struct Reloadable {
    let name: String
    /// Reads it and changes nothing.
    let check: () throws -> Void
    /// Changes nothing if it throws.
    let reload: () throws -> Void

    /// Why it keeps everything as it was, in lines; nil if it is right.
    var refusal: [String]? {
        do {
            try check()
            return nil
        } catch {
            return keeping(error)
        }
    }

    /// The expected result, once the reload was checked.
    var forecast: ReloadLine { ReloadLine(.file(isKept: false), "\(name): read again") }

    /// Reloads, and returns the result for the client.
    func apply(log: Log) -> ReloadLine {
        do {
            try reload()
            log.notice("read the \(name) again")
            return forecast
        } catch {
            let lines = keeping(error)
            for line in lines { log.error(line) }
            return ReloadLine(.file(isKept: true), lines[0])
        }
    }

    private func keeping(_ error: any Error) -> [String] {
        let lines = Service.lines(of: error)
        return ["kept the old \(name): \(lines[0])"] + lines.dropFirst()
    }
}

extension Service {
    /// The files to reload when such options replace the old ones.
    static func reloadables(
        _ options: Options, insteadOf old: Options, _ daemon: Daemon, _ certificate: ServerCertificate?
    ) -> [Reloadable] {
        var reloadables: [Reloadable] = []
        if options.tokenFile != nil || old.tokenFile != nil { reloadables.append(tokenFile(options, daemon)) }
        if let certificate, options.hasCertificate { reloadables.append(self.certificate(options, certificate, daemon)) }
        if options.localAccess != old.localAccess { reloadables.append(localAccess(options, daemon)) }
        if options.bluetooth.devices != nil || old.bluetooth.devices != nil { reloadables.append(deviceFile(options, daemon)) }
        return reloadables
    }

    private static func tokenFile(_ options: Options, _ daemon: Daemon) -> Reloadable {
        Reloadable(name: "token file") {
            _ = try options.tokens()
        } reload: { [daemon] in
            daemon.host.replaceTokens(try options.tokens())
            daemon.connections.revokeAccess()
            daemon.web?.revokeLogins()
        }
    }

    /// Open connections keep their certificate.
    private static func certificate(_ options: Options, _ certificate: ServerCertificate, _ daemon: Daemon) -> Reloadable {
        Reloadable(name: "certificate") {
            _ = try options.tlsContext()
        } reload: { [certificate, daemon] in
            guard let context = try options.tlsContext() else { return }
            for warning in context.warnings { daemon.log.warning(warning) }
            certificate.replace(with: context)
            daemon.service?.certificateDidChange(options)
        }
    }

    /// Names that the system does not know have been reported already.
    private static func localAccess(_ options: Options, _ daemon: Daemon) -> Reloadable {
        Reloadable(name: "users and groups") {
        } reload: { [daemon] in
            daemon.host.access.local = options.localAccess
            daemon.connections.revokeAccess()
            daemon.service?.localAccessDidChange(options.localAccess)
        }
    }

    private static func deviceFile(_ options: Options, _ daemon: Daemon) -> Reloadable {
        let file = options.bluetooth.devices
        return Reloadable(name: "device file") {
            if let file { _ = try DeviceFile.read(file) }
        } reload: { [daemon] in
            if let file { try daemon.bluetooth.load(file) } else { daemon.bluetooth.removeDevices() }
        }
    }
}

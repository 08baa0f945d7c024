// The settings of a running daemon: the effective ones with their origins, and the changes of a new configuration.

import Commands
import GameFlow
import Logging
import Posix
import RESP
import Sessions
import Systemd

final class LiveSettings: ShownSettings {
    private unowned let daemon: Daemon
    private let started: Options
    /// The effective options, except for changes by CONFIG SET.
    private(set) var options: Options
    /// The options read last. They differ in settings that need a restart.
    private var newest: Options

    init(_ options: Options, of daemon: Daemon) {
        (started, self.options, newest) = (options, options, options)
        self.daemon = daemon
    }

    // MARK: Changes

    /// The changes of the new options, in the order of the settings.
    func changes(to new: Options) -> [SettingChange] {
        DaemonOption.settings.flatMap { option -> [SettingChange] in
            guard option.key != "limit" else { return limitChanges(to: new) }
            let (before, after) = (options.text(of: option), new.text(of: option))
            guard before != after else { return [] }
            // CONFIG SET may have changed the level in force.
            let inForce = option.key == "log" ? daemon.log.level.name : before
            let change = SettingChange(option.key, inForce, after, needsRestart: !changesLive(option, to: new))
            return change.map { [$0] } ?? []
        }
    }

    /// TLS is turned on and off with a restart.
    private func changesLive(_ option: DaemonOption, to new: Options) -> Bool {
        option.changesLive && (!option.key.hasPrefix("tls-") || options.hasCertificate && new.hasCertificate)
    }

    private func limitChanges(to new: Options) -> [SettingChange] {
        Limit.all.compactMap { limit in
            guard options.limits[keyPath: limit.path] != new.limits[keyPath: limit.path] else { return nil }
            // CONFIG SET may have changed the value in force.
            let inForce = limit.isSetAtStart ? options.limits : daemon.limits
            return SettingChange(
                "limit \(limit.name)", "\(inForce[keyPath: limit.path])", "\(new.limits[keyPath: limit.path])",
                needsRestart: limit.isSetAtStart)
        }
    }

    /// Applies settings that can change while the daemon runs. Values set with CONFIG SET stay, unless the configuration has changed there.
    func apply(_ new: Options) {
        applyLimits(new)
        if new.logLevel != options.logLevel { daemon.host.setLogLevel(new.logLevel) }
        daemon.log.zone = new.logTime
        for option in DaemonOption.settings where changesLive(option, to: new) {
            option.live?(&options, new)
            options.origins.settings[option.key] = new.origins.settings[option.key]
        }
        options.origins.file = new.origins.file
        newest = new
    }

    private func applyLimits(_ new: Options) {
        var limits = daemon.limits
        for limit in Limit.all where !limit.isSetAtStart {
            let value = new.limits[keyPath: limit.path]
            guard value != options.limits[keyPath: limit.path] else { continue }
            limits[keyPath: limit.path] = value
        }
        if limits != daemon.limits { daemon.limits = limits }
    }

    // MARK: Shown settings

    var settings: [ShownSetting] {
        let options = DaemonOption.settings.filter { $0.key != "config" }
        return [file] + options.flatMap { $0.key == "limit" ? Limit.all.map(shown) : [shown($0)] }
    }

    private var file: ShownSetting {
        let asked = options.origins.settings["config"]?.origin.description
        return ShownSetting(name: "config", value: options.origins.file ?? "none", origin: asked ?? "default")
    }

    private func shown(_ option: DaemonOption) -> ShownSetting {
        let (value, next) = (options.text(of: option), newest.text(of: option))
        if option.key == "log", daemon.log.level != options.logLevel {
            return ShownSetting(name: option.key, value: daemon.log.level.name, origin: "CONFIG SET")
        }
        if option.key == "token-file", value == "none", daemon.host.access.tokens.isAsked {
            return ShownSetting(name: option.key, value: "none; the token is in the environment", origin: "GAMED_TOKEN")
        }
        return ShownSetting(
            name: option.key, value: value, origin: options.origins.settings[option.key]?.origin.description ?? "default",
            pending: value == next ? nil : next)
    }

    private func shown(_ limit: Limit) -> ShownSetting {
        let (value, configured) = (daemon.limits[keyPath: limit.path], options.limits[keyPath: limit.path])
        let next = newest.limits[keyPath: limit.path]
        let origin = (limit.isSetAtStart ? started : options).origin(of: limit)
        return ShownSetting(
            name: "limit.\(limit.name)", value: "\(value)", origin: value == configured ? origin : "CONFIG SET",
            pending: configured == next ? nil : "\(next)")
    }
}

/// A setting's value in a new configuration that differs from the one in force.
struct SettingChange: CustomStringConvertible {
    private let name: String
    private let before: String
    private let after: String
    let needsRestart: Bool

    /// Nil if the values are the same.
    init?(_ name: String, _ before: String, _ after: String, needsRestart: Bool) {
        guard before != after else { return nil }
        (self.name, self.before, self.after, self.needsRestart) = (name, before, after, needsRestart)
    }

    var description: String {
        needsRestart
            ? "\(name): \(after) needs a restart; until then it is \(before)" : "\(name): \(after), in place of \(before)"
    }
}

extension Options {
    /// A setting's value as people read it.
    func text(of option: DaemonOption) -> String {
        guard let setting = origins.settings[option.key] else { return standardText(of: option) }
        guard !setting.values.isEmpty else { return option.isRepeatable ? "none" : "false" }
        if option.key == "store" { return cluster.store.map(Self.hidden) ?? "none" }
        return setting.values.map { $0.text ?? "true" }.joined(separator: ", ")
    }

    private func standardText(of option: DaemonOption) -> String {
        if option.key == "data" { return dataDirectory ?? "none" }
        return option.isFlag || option.isValueOptional ? "false" : option.standard ?? "none"
    }

    fileprivate func origin(of limit: Limit) -> String {
        let values = origins.settings["limit"]?.values ?? []
        let value = values.last { $0.text?.lowercased().hasPrefix("\(limit.name)=") == true }
        return value?.origin.description ?? "default"
    }

    // MARK: Access, from options and the token file

    /// The clients to admit; throws if clients need tokens and there are none.
    func access() throws -> Access {
        Access(tokens: try tokens(), local: localAccess, trustsLoopback: trustsLoopback)
    }

    /// The configured tokens; throws if they are needed and missing.
    func tokens() throws -> TokenTable {
        if let tokenFile { return try locating("token-file") { try TokenFile.read(tokenFile).table } }
        if let text = environmentVariable("GAMED_TOKEN") {
            return TokenTable([try TokenLine(secret: text, from: "in GAMED_TOKEN")])
        }
        try checkTokensNotRequired()
        return .none
    }

    private func checkTokensNotRequired() throws {
        _ = try pagePlace()
        if let (setting, open) = tcpAddresses.first(where: { !$0.1.isLoopback }) {
            throw needsToken(
                "other machines can reach \(open), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…", open,
                setting)
        }
        guard let address = addresses.first, !trustsLoopback else { return }
        throw needsToken(
            "every user of this machine can reach \(address), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…; "
                + "--trust-loopback admits local clients without a token", address, "listen")
    }

    /// No setting is to blame where the service manager has opened the socket.
    private func needsToken(_ sentence: String, _ address: TcpAddress, _ setting: String) -> any Error {
        if activated.has(address) { return ActivationError.open(sentence) }
        return located(UsageError(sentence), setting, address.description)
    }

    // MARK: Options that name flows, checked against those that are hosted, or will be

    /// Throws if the flow of a session, or of a rule, does not exist; called before anything is restored. Those of the options `accepted` may have lost
    /// their flow since: when a flow file is removed, its sessions are set aside.
    func checkSessions(in flows: [FlowKind], besides accepted: Options? = nil) throws {
        for session in sessions where accepted?.sessions.contains(session) != true {
            do throws(UsageError) {
                try checkFlow(of: session, in: flows)
            } catch {
                throw located(error, "session", session.text)
            }
        }
        for rule in expiries where accepted?.expiries.contains(rule) != true { try checkFlow(of: rule, in: flows) }
    }

    func checkFlow(of session: SessionToBegin, in flows: [FlowKind]) throws(UsageError) {
        guard !flows.contains(where: { $0.name == session.flow }) else { return }
        throw UsageError(CommandError.noFlow(session.flow, flows).sentence)
    }

    func checkFlow(of rule: ExpiryRule, in flows: [FlowKind]) throws {
        guard !flows.contains(where: { $0.name == rule.flow }) else { return }
        let value = origins.settings["expire"]?.values.first { $0.text?.hasPrefix("\(rule.flow)=") == true }
        let sentence = "--expire: \(CommandError.noFlow(rule.flow, flows).sentence)"
        throw located(UsageError(sentence), "expire", value?.text)
    }

    /// The flows of the sessions that the options name, by their names: one that was restored keeps its own.
    func flows(of daemon: Daemon) -> [String: String] {
        let flows = sessions.compactMap { asked in daemon.sessions[asked.name].map { (asked.name, $0.kind.name) } }
        return Dictionary(flows, uniquingKeysWith: { $1 })
    }

    /// A warning about each session that the options name with several flows, or with another one than it has.
    func otherFlowWarnings(_ daemon: Daemon) -> [String] {
        let flows = flows(of: daemon)
        var asked = Dictionary(grouping: sessions, by: \.name)
        return sessions.compactMap { session -> String? in
            // A session that is named again has its warning.
            guard let flow = flows[session.name], let all = asked.removeValue(forKey: session.name) else { return nil }
            if all.contains(where: { $0.flow != session.flow }) { return Self.surplusWarning(all, session.name, flow) }
            guard flow != session.flow else { return nil }
            return "the session '\(session.name.shortened)' exists and keeps its flow '\(flow)'; "
                + "to begin it in '\(session.flow)' (--session), drop it first"
        }
    }

    /// About options that name one session with several flows.
    private static func surplusWarning(_ options: [SessionToBegin], _ name: String, _ flow: String) -> String {
        var flows: [String] = []
        for option in options where !flows.contains(option.flow) { flows.append(option.flow) }
        let (times, surplus) = options.count == 2 ? ("twice", "one") : ("\(options.count) times", "all but one")
        let listed = flows.map { "'\($0)'" }.joined(separator: " and ")
        return "--session names '\(name.shortened)' \(times), with the flows \(listed); "
            + "its flow is '\(flow)': remove \(surplus)"
    }
}

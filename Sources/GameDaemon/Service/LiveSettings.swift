// The settings of a running daemon: what is in force and where it comes from, and what a new configuration changes of it.

import Commands
import Logging

final class LiveSettings: ShownSettings {
    private unowned let daemon: Daemon
    private let started: Options
    /// What is in force, but for what CONFIG SET has changed since.
    private(set) var options: Options
    /// What was read last. It differs in what needs a restart.
    private var newest: Options

    init(_ options: Options, of daemon: Daemon) {
        (started, self.options, newest) = (options, options, options)
        self.daemon = daemon
    }

    // MARK: Changes

    /// What the new options change, a line each.
    func changes(to new: Options) -> [String] {
        Option.settings.flatMap { option -> [String] in
            guard option.key != "limit" else { return limitChanges(to: new) }
            let (before, after) = (options.text(of: option), new.text(of: option))
            return before == after ? [] : [Self.change(option.key, before, after, isLive: changesLive(option, to: new))]
        }
    }

    /// TLS is turned on and off with a restart.
    private func changesLive(_ option: Option, to new: Options) -> Bool {
        option.changesLive && (!option.key.hasPrefix("tls-") || options.hasCertificate && new.hasCertificate)
    }

    private func limitChanges(to new: Options) -> [String] {
        Limit.all.compactMap { limit in
            let (before, after) = (options.limits[keyPath: limit.path], new.limits[keyPath: limit.path])
            return before == after ? nil : Self.change("limit \(limit.name)", "\(before)", "\(after)", isLive: !limit.isFixed)
        }
    }

    private static func change(_ name: String, _ before: String, _ after: String, isLive: Bool) -> String {
        isLive ? "\(name): \(after), in place of \(before)" : "\(name): \(after) needs a restart; until then it is \(before)"
    }

    /// Takes over what can change while the daemon runs. What CONFIG SET has set stays, unless the configuration has changed there.
    func apply(_ new: Options) {
        applyLimits(new)
        if new.logLevel != options.logLevel { daemon.host.setLogLevel(new.logLevel) }
        daemon.log.zone = new.logTime
        for option in Option.settings where changesLive(option, to: new) {
            option.live?(&options, new)
            options.origins.settings[option.key] = new.origins.settings[option.key]
        }
        options.origins.file = new.origins.file
        newest = new
    }

    private func applyLimits(_ new: Options) {
        var limits = daemon.limits
        for limit in Limit.all where !limit.isFixed {
            let value = new.limits[keyPath: limit.path]
            guard value != options.limits[keyPath: limit.path] else { continue }
            limits[keyPath: limit.path] = value
        }
        if limits != daemon.limits { daemon.limits = limits }
    }

    // MARK: What is shown

    var settings: [ShownSetting] {
        let options = Option.settings.filter { $0.key != "config" }
        return [file] + options.flatMap { $0.key == "limit" ? Limit.all.map(shown) : [shown($0)] }
    }

    private var file: ShownSetting {
        let asked = options.origins.settings["config"]?.origin.description
        return ShownSetting(name: "config", value: options.origins.file ?? "none", origin: asked ?? "default")
    }

    private func shown(_ option: Option) -> ShownSetting {
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
        let origin = (limit.isFixed ? started : options).origin(of: limit)
        return ShownSetting(
            name: "limit.\(limit.name)", value: "\(value)", origin: value == configured ? origin : "CONFIG SET",
            pending: configured == next ? nil : "\(next)")
    }
}

extension Options {
    /// A setting's value as people read it.
    func text(of option: Option) -> String {
        guard let setting = origins.settings[option.key] else { return standardText(of: option) }
        guard !setting.values.isEmpty else { return option.shape == .list || option.shape == .pairs ? "none" : "false" }
        if option.key == "store" { return cluster.store.map(Self.hidden) ?? "none" }
        return setting.values.map { $0.text ?? "true" }.joined(separator: ", ")
    }

    private func standardText(of option: Option) -> String {
        if option.key == "data" { return dataDirectory ?? "none" }
        switch option.shape {
        case .flag, .optionalText: return "false"
        case .text, .list, .pairs: return option.standard ?? "none"
        }
    }

    fileprivate func origin(of limit: Limit) -> String {
        let values = origins.settings["limit"]?.values ?? []
        let value = values.last { $0.text?.lowercased().hasPrefix("\(limit.name)=") == true }
        return value?.origin.description ?? "default"
    }
}

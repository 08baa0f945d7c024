// Settings from the environment: GAMED_LISTEN is --listen.

import Commands
import Posix
import RESP
import Texts

/// The variables of a process.
struct Environment {
    /// Nil where it is not set, or empty.
    let value: (String) -> Bytes?
    /// All names, where they can be had.
    let names: [String]

    /// A value is any bytes.
    struct Bytes {
        /// Nil if it is not UTF-8.
        let text: String?
    }

    static var ofProcess: Environment {
        Environment(
            value: { name in isEnvironmentText(name).map { Bytes(text: $0 ? environmentVariable(name) : nil) } },
            names: Self.processNames)
    }

    /// As it was when the process began.
    private static var processNames: [String] {
        guard let bytes = try? SmallFile("/proc/self/environ").bytes() else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) }
    }
}

extension SettingLayer {
    init(_ environment: Environment) {
        self.init()
        for option in DaemonOption.settings { read(option, from: environment) }
    }

    private mutating func read(_ option: DaemonOption, from environment: Environment) {
        let name = option.variable
        let origin = Origin.environment(name)
        guard let value = environment.value(name) else { return }
        guard let text = value.text else { return complain(origin, "\(name) is not text in UTF-8", namesSetting: true) }
        do throws(UsageError) {
            let values = try Self.values(text, for: option, name)
            set(option, to: values.map { .init(text: $0, origin: origin) }, at: origin, called: name)
        } catch {
            complain(origin, error.description, namesSetting: error.option == name)
        }
    }

    private static func values(_ text: String, for option: DaemonOption, _ name: String) throws(UsageError) -> [String?] {
        switch option.kind {
        case .value: return [text]
        case .flag:
            guard let isOn = Bool(setting: text) else {
                throw UsageError(of: name, "is true or false, not '\(text.shortened)'")
            }
            return isOn ? [nil] : []
        case .optional: return Bool(setting: text).map { $0 ? [nil] : [] } ?? [text]
        case .list, .pairs:
            do throws(RequestError) { return try LineWords.split(text) } catch {
                throw UsageError(of: name, "has a quote that is not closed; several values are separated by blanks")
            }
        }
    }
}

extension Environment {
    /// gamectl's variables that are no settings of the daemon. A shell that has them may start gamed, too.
    private static let ofGamectl = [
        "GAMED_TOKEN", "GAMED_TLS", "GAMED_TLS_CA", "GAMED_TLS_CLIENT_CERT", "GAMED_TLS_CLIENT_KEY",
    ]

    /// Variables that look like a setting, and are none: options of tasks, and mistyped settings. Others may belong to other programs.
    var doubts: [FileWarning] {
        let known = DaemonOption.settings.map(\.variable)
        return names.filter { $0.hasPrefix("GAMED_") && !(known + Self.ofGamectl).contains($0) }.compactMap { name in
            if let option = DaemonOption.ofTasks.first(where: { $0.variable == name }) {
                return FileWarning(name, "it has no effect: give \(option.usage) on the command line")
            }
            let keys = known.map { String($0.dropFirst(6)) }
            return Suggestion.closest(to: String(name.dropFirst(6)), among: keys).map { key in
                FileWarning(name.printable, "there is no such setting; did you mean GAMED_\(key)?")
            }
        }
    }
}

// The origin of each setting: a file, the environment, or the command line.

import GameFlow
import Texts

/// The place where a value was given.
enum Origin: Equatable, Sendable, CustomStringConvertible {
    case file(String, line: Int, column: Int)
    /// The variable's name.
    case environment(String)
    /// The option's name.
    case option(String)

    var description: String {
        switch self {
        case .file(let path, let line, let column): "\(path.printable):\(line):\(column)"
        case .environment(let name), .option(let name): name
        }
    }

    /// A file's places in their order.
    var place: TextPosition {
        switch self {
        case .file(_, let line, let column): TextPosition(line: line, column: column)
        case .environment, .option: TextPosition(line: 0, column: 0)
        }
    }
}

/// A setting as the highest layer that mentions it gives it.
struct ConfiguredSetting: Equatable, Sendable {
    struct Value: Equatable, Sendable {
        /// As on the command line; nil for an option without a value.
        let text: String?
        let origin: Origin
    }

    let origin: Origin
    /// None for an empty list, and for a flag that is false.
    var values: [Value]
}

/// The origins of all settings, and the input needed to read them again.
struct Origins: Equatable, Sendable {
    /// By key; settings that were not given are missing.
    var settings: [String: ConfiguredSetting] = [:]
    /// The configuration file that was read; nil if there was none.
    var file: String?
    /// The command line.
    var words: [String] = []
}

extension Options {
    /// The error with its place, where the setting or one value of it comes from a file or the environment. A command line needs no
    /// place.
    func located(_ error: any Error, _ key: String, _ value: String? = nil) -> any Error {
        guard let setting = origins.settings[key] else { return error }
        let place = value.flatMap { value in setting.values.first { $0.text == value }?.origin } ?? setting.origin
        if case .option = place { return error }
        return LocatedError(origin: place, cause: error)
    }

    /// Runs `body`; an error that it throws gets the place of the setting.
    func locating<Result>(_ key: String, _ value: String? = nil, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw located(error, key, value) }
    }
}

// A configuration file in a temporary directory, and a simulated environment.

import Foundation
import Testing
@testable import GameDaemon

final class ConfigurationDirectory {
    let path = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString.prefix(8))").path
    var file: String { path + "/gamed.json5" }

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Reads a configuration whose default file has this text; nil if the file is missing.
    func read(_ text: String?, _ words: [String] = [], _ variables: [String: String] = [:]) throws -> Configuration {
        if let text { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        let environment = Environment(
            value: { name in variables[name].flatMap { $0.isEmpty ? nil : .init(text: $0) } }, names: Array(variables.keys))
        return try Configuration(words, in: environment, usually: file)
    }

    /// Returns the mistakes, with `F` for the file's path.
    func mistakes(_ text: String?, _ words: [String] = [], _ variables: [String: String] = [:]) throws -> [String] {
        try read(text, words, variables).mistakes.map { "\($0)".replacing(file, with: "F") }
    }
}

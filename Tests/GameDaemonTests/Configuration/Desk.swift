// A configuration file in a folder of its own, and an environment that is only said.

import Foundation
import Testing
@testable import GameDaemon

final class Desk {
    let folder = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString.prefix(8))").path
    var file: String { folder + "/gamed.json5" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The usual file says this; nil for none there.
    func read(_ text: String?, _ words: [String] = [], _ variables: [String: String] = [:]) throws -> Configuration {
        if let text { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        let environment = Environment(
            value: { name in variables[name].flatMap { $0.isEmpty ? nil : .init(text: $0) } }, names: Array(variables.keys))
        return try Configuration(words, in: environment, usually: file)
    }

    /// What is wrong, without the file's name.
    func mistakes(_ text: String?, _ words: [String] = [], _ variables: [String: String] = [:]) throws -> [String] {
        try read(text, words, variables).mistakes.map { "\($0)".replacing(file, with: "F") }
    }
}

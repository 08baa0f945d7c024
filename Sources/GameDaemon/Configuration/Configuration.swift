// The configuration as a whole: file, environment and command line, in rising order. A higher layer replaces a lower one's value whole.

import Posix
import Texts

struct Configuration: Sendable {
    /// The effective options, without the mistakes.
    private(set) var options: Options
    private(set) var mistakes: [ConfigurationMistake] = []
    /// Doubtful settings, one line each.
    private(set) var warnings: [String] = []

    /// Throws if the command line is wrong, which says where the file is.
    init(
        _ words: [String], of program: String = "gamed", in environment: Environment = .ofProcess,
        usually file: String = Options.usualConfiguration
    ) throws(UsageError) {
        options = try Options(parsing: words, of: program)
        guard options.task.needsConfiguration else { return }
        var layers = [SettingLayer(environment), SettingLayer(try Options.said(by: words, to: program))]
        if let read = read(Self.place(layers), usually: file) {
            options.origins.file = read.path
            layers.insert(read.layer, at: 0)
        }
        mistakes += layers.flatMap(\.mistakes)
        warnings = environment.doubts
        options.origins.words = words
        compose(layers, environment)
    }

    /// The same read again, for a daemon that runs. The command line is as right as it was.
    static func again(_ inForce: Options) -> Configuration {
        do throws(UsageError) {
            var configuration = try Configuration(inForce.origins.words, of: inForce.program)
            configuration.options.use(inForce.activated)
            return configuration
        } catch {
            return Configuration(inForce, ConfigurationMistake(origin: .option(inForce.program), sentence: error.description))
        }
    }

    private init(_ options: Options, _ mistake: ConfigurationMistake) {
        (self.options, mistakes) = (options, [mistake])
    }

    var error: ConfigurationError? { mistakes.isEmpty ? nil : ConfigurationError(mistakes: mistakes) }

    // MARK: The file

    /// The file that environment or command line name; nil for the usual one.
    private static func place(_ layers: [SettingLayer]) -> ConfiguredSetting.Value? {
        layers.last { $0.settings["config"] != nil }?.settings["config"]?.values.last
    }

    /// Nil for none. The usual file may be missing.
    private mutating func read(_ place: ConfiguredSetting.Value?, usually file: String) -> ConfigurationFile? {
        let path = place?.text ?? file
        guard path != "none" else { return nil }
        do throws(FileError) {
            if let bytes = try SmallFile(path, mustBePlain: true).bytes() { return ConfigurationFile(path, bytes) }
            guard place != nil else { return nil }
            throw FileError("read", path, reason: "there is no such file")
        } catch {
            let advice = place == nil ? "; --config none goes on without it" : ""
            mistakes.append(
                ConfigurationMistake(origin: place?.origin ?? .option("--config"), sentence: "\(error)\(advice)"))
            return nil
        }
    }

    // MARK: Layers

    private mutating func compose(_ layers: [SettingLayer], _ environment: Environment) {
        var settings = layers.reduce(into: [:]) { all, layer in all.merge(layer.settings) { $1 } }
        // A token that the environment gives is above a file's way to one.
        if case .file? = settings["token-file"]?.origin, environment.value("GAMED_TOKEN") != nil {
            settings["token-file"] = nil
        }
        var composed = Options()
        (composed.program, composed.task, composed.origins) = (options.program, options.task, options.origins)
        composed.cluster.shards = options.cluster.shards
        for option in Option.settings {
            for value in settings[option.key]?.values ?? [] {
                // Every value has been tried by itself.
                try? composed.apply(option, value.text)
            }
        }
        composed.origins.settings = settings
        composed.lookUpAllowed { key, value, error in
            let setting = settings[key]
            let origin = setting?.values.first { $0.text == value }?.origin ?? setting?.origin ?? .option("--\(key)")
            mistakes.append(ConfigurationMistake(origin: origin, sentence: error.description))
        }
        options = composed
    }
}

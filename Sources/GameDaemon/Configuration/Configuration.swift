// The configuration as a whole: file, environment and command line, in rising order. A higher layer replaces a lower one's value whole.

import Commands
import GameFlow
import Posix
import Texts

struct Configuration: Sendable {
    /// The effective options, without the mistakes.
    private(set) var options: Options
    private(set) var mistakes: [ConfigurationMistake] = []
    /// Doubtful settings, one line each.
    private(set) var warnings: [FileWarning] = []

    /// Throws if the command line is wrong, which names the file.
    init(
        _ words: [String], of program: String = "gamed", in environment: Environment = .ofProcess,
        usually file: String = Options.usualConfiguration
    ) throws(UsageError) {
        options = try Options(parsing: words, of: program)
        guard options.task.needsConfiguration else { return }
        var layers = [SettingLayer(environment), SettingLayer(try Options.parse(words, for: program))]
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
            let advice = place == nil ? "; --config none starts without one" : ""
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
        for option in DaemonOption.settings {
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

// MARK: - One layer of the configuration: the settings of a file, the environment or the command line, with their mistakes.

struct SettingLayer {
    /// By key. Only what can be applied.
    private(set) var settings: [String: ConfiguredSetting] = [:]
    private(set) var mistakes: [ConfigurationMistake] = []
    /// Further mistakes are only counted: after fixing these, the operator checks again.
    private static let maxMistakes = 100
    private var omitted = 0
    /// Values are tried on these.
    private var trial = Options()

    /// The message is built only if it is reported, since its suggestion searches all names.
    mutating func complain(_ origin: Origin, _ sentence: @autoclosure () -> String, namesSetting: Bool = false) {
        guard mistakes.count < Self.maxMistakes else {
            omitted += 1
            return
        }
        mistakes.append(ConfigurationMistake(origin: origin, sentence: sentence(), namesSetting: namesSetting))
    }

    /// Sorts mistakes by their place in the file, regardless of the check that found them, then adds the count of further ones.
    mutating func sortMistakes() {
        let inOrder = mistakes.enumerated().sorted {
            ($0.element.origin.place, $0.offset) < ($1.element.origin.place, $1.offset)
        }
        mistakes = inOrder.map(\.element)
        guard omitted > 0, let last = mistakes.last else { return }
        let sentence = "\(omitted) more mistakes follow; fix these first"
        mistakes.append(ConfigurationMistake(origin: last.origin, sentence: sentence))
    }

    /// Records the values that the option can have, and reports the others. `called` is the option's name in this layer.
    mutating func set(_ option: DaemonOption, to values: [ConfiguredSetting.Value], at origin: Origin, called name: String) {
        let right = values.filter { isRight($0, for: option, called: name) }
        if right.isEmpty, !values.isEmpty { return }
        settings[option.key] = ConfiguredSetting(origin: origin, values: right)
    }

    private mutating func isRight(_ value: ConfiguredSetting.Value, for option: DaemonOption, called name: String) -> Bool {
        do throws(UsageError) {
            if value.text == "" { throw UsageError(of: option.name, "needs a value: \(option.label)") }
            // A system call would end the text at a null character.
            if value.text?.utf8.contains(0) == true {
                throw UsageError(of: option.name, "has a null character, and may have none")
            }
            try trial.apply(option, value.text)
            return true
        } catch {
            let isOfOption = error.option == option.name
            complain(value.origin, isOfOption ? error.named(name) : error.description, namesSetting: isOfOption)
            return false
        }
    }

    /// The settings of the command line, which are already checked.
    init(_ parsed: [Options.ParsedOption]) {
        for (option, value) in parsed where option.isSetting {
            let origin = Origin.option(option.name)
            let isTakenBack = (option.isFlag || option.isValueOptional) && value == DaemonOption.off
            let new = isTakenBack ? [] : [ConfiguredSetting.Value(text: value, origin: origin)]
            let earlier = option.isRepeatable ? settings[option.key]?.values ?? [] : []
            settings[option.key] = ConfiguredSetting(origin: origin, values: earlier + new)
        }
    }

    init() {}
}

// MARK: - The configuration file: JSON5, one object with a key for each setting. All its mistakes are reported at once.

struct ConfigurationFile {
    let path: String
    private(set) var layer = SettingLayer()
    private let positions: TextPositions

    init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        let unreadable = bytes.firstLineThatIsNoText
        let document = JSON5Document(bytes: unreadable == nil ? bytes : [])
        positions = document.positions
        if let line = unreadable {
            layer.complain(
                .file(path, line: line, column: 1), "the file is UTF-8, and in this line there is a byte that is not")
            return
        }
        for error in document.problems { complain(error.offset, error.problem) }
        if let root = document.root { read(root) }
        layer.sortMistakes()
    }

    func origin(_ offset: Int) -> Origin {
        let position = positions[offset]
        return .file(path, line: position.line, column: position.column)
    }

    mutating func complain(_ offset: Int, _ sentence: @autoclosure () -> String) {
        layer.complain(origin(offset), sentence())
    }

    private mutating func read(_ root: LocatedJSON) {
        guard let members = root.members else {
            if !root.isUnreadable { complain(root.offset, "the configuration is an object, { setting: value, … }") }
            return
        }
        for member in members {
            guard let option = DaemonOption.inFile.first(where: { $0.key == member.name }) else {
                complain(member.offset, Self.unknown(member.name))
                continue
            }
            guard let values = values(member.value, of: option) else { continue }
            layer.set(option, to: values, at: origin(member.value.offset), called: option.key)
        }
    }

    private static func unknown(_ name: String) -> String {
        if let option = DaemonOption.setting(name), option.isForOneStart {
            return "\(name) is for one start alone: give it on the command line, \(option.usage), or in \(option.variable)"
        }
        if let limit = Limit.named(name) {
            return "'\(name.shortened.printable)' is a limit: write it as limit: { \"\(limit.name)\": \(limit.standard) }"
        }
        let bare = String(name.drop { $0 == "-" })
        return "there is no setting '\(name.shortened.printable)'; \(DaemonOption.inFile.map(\.key).advice(for: bare))"
    }

    func base(_ text: String, for option: DaemonOption) -> String {
        guard option.isPath(text), !text.hasPrefix("/"), !text.isEmpty else { return text }
        guard let end = path.lastIndex(of: "/") else { return text }
        return "\(path[...end])\(text)"
    }
}

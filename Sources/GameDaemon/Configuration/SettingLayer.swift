// One layer of the configuration: the settings of a file, the environment or the command line, with their mistakes.

import Posix
import Texts

struct SettingLayer {
    /// By key. Only what can be applied.
    private(set) var settings: [String: ConfiguredSetting] = [:]
    private(set) var mistakes: [ConfigurationMistake] = []
    /// Further mistakes are only counted: after fixing these, the operator checks again.
    private static let maxCount = 100
    private var omitted = 0
    /// Values are tried on these.
    private var trial = Options()

    /// The message is built only if it is reported, since its suggestion searches all names.
    mutating func complain(_ origin: Origin, _ sentence: @autoclosure () -> String, namesSetting: Bool = false) {
        guard mistakes.count < Self.maxCount else {
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

    /// Notes the values that the option can have, and complains about the others. `called` is the option's name in this layer.
    mutating func set(_ option: Option, to values: [ConfiguredSetting.Value], at origin: Origin, called name: String) {
        let right = values.filter { isRight($0, for: option, called: name) }
        if right.isEmpty, !values.isEmpty { return }
        settings[option.key] = ConfiguredSetting(origin: origin, values: right)
    }

    private mutating func isRight(_ value: ConfiguredSetting.Value, for option: Option, called name: String) -> Bool {
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
    init(_ said: [Options.ParsedOption]) {
        for (option, value) in said.map({ ($0.option, $0.value) }) where option.isSetting {
            let origin = Origin.option(option.name)
            let isTakenBack = option.shape == .flag && value == Option.off
            let new = isTakenBack ? [] : [ConfiguredSetting.Value(text: value, origin: origin)]
            let isRepeatable = option.shape == .list || option.shape == .pairs
            let earlier = isRepeatable ? settings[option.key]?.values ?? [] : []
            settings[option.key] = ConfiguredSetting(origin: origin, values: earlier + new)
        }
    }

    init() {}
}

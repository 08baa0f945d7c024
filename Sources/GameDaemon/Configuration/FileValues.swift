// Values of the configuration file, in the forms that their settings take.

import GameFlow
import Texts

extension ConfigurationFile {
    /// Returns nil if there is no value: null leaves the default, and wrong values were reported.
    mutating func values(_ value: LocatedJSON, of option: DaemonOption) -> [ConfiguredSetting.Value]? {
        if case .null = value.content { return nil }
        switch option.kind {
        case .flag: return flag(value, option)
        case .optional: return truth(value) ?? single(value, option, or: "true, false, or a text")
        case .value: return single(value, option, or: "a text")
        case .list: return list(value, option)
        case .pairs: return value.members.map { pairs($0, option) } ?? list(value, option)
        }
    }

    private func truth(_ value: LocatedJSON) -> [ConfiguredSetting.Value]? {
        guard case .bool(let isOn) = value.content else { return nil }
        return isOn ? [.init(text: nil, origin: origin(value.offset))] : []
    }

    private mutating func flag(_ value: LocatedJSON, _ option: DaemonOption) -> [ConfiguredSetting.Value]? {
        if let values = truth(value) { return values }
        wrong(value, "\(option.key) is true or false")
        return nil
    }

    private mutating func single(_ value: LocatedJSON, _ option: DaemonOption, or form: String) -> [ConfiguredSetting.Value]? {
        guard let text = Self.text(value) else {
            wrong(value, "\(option.key) is \(form), like \(Self.example(option))")
            return nil
        }
        return [.init(text: base(text, for: option), origin: origin(value.offset))]
    }

    private mutating func list(_ value: LocatedJSON, _ option: DaemonOption) -> [ConfiguredSetting.Value]? {
        if case .array(let elements) = value.content {
            return elements.compactMap { single($0, option, or: "a list of texts")?.first }
        }
        let form = option.isOfPairs ? "an object" : "a text, or a list of texts"
        return single(value, option, or: form)
    }

    /// `{ connections: 500 }` is what `--limit connections=500` is.
    private mutating func pairs(_ members: [LocatedJSON.Member], _ option: DaemonOption) -> [ConfiguredSetting.Value] {
        members.compactMap { member in
            if case .null = member.value.content { return nil }
            guard let text = Self.text(member.value) else {
                wrong(member.value, "a value of \(option.key) is a text or a number, like \(Self.example(option))")
                return nil
            }
            guard !member.name.contains("=") else {
                complain(member.offset, "the name '\(member.name.shortened.printable)' has an '=', and may not have one here")
                return nil
            }
            return .init(text: "\(member.name)=\(text)", origin: origin(member.value.offset))
        }
    }

    private static func text(_ value: LocatedJSON) -> String? {
        switch value.content {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): Int(exactly: number).map { "\($0)" }
        case .null, .bool, .array, .object, .unreadable: nil
        }
    }

    /// How such a value is written.
    static func example(_ option: DaemonOption) -> String {
        guard option.isOfPairs else { return "\"\(option.standard ?? option.forms.first ?? option.label)\"" }
        let sides = option.label.split(separator: "=", maxSplits: 1).map(String.init)
        return "{ \(sides[0]): \"\(sides.last ?? "")\" }"
    }

    private mutating func wrong(_ value: LocatedJSON, _ sentence: String) {
        guard !value.isUnreadable else { return }
        complain(value.offset, "\(sentence), and not \(Self.inWords(value))")
    }

    private static func inWords(_ value: LocatedJSON) -> String {
        switch value.content {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let text): "the text '\(text.shortened.printable)'"
        case .array: "a list"
        case .object: "an object"
        case .unreadable: "this"
        }
    }
}

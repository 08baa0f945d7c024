import Glibc
import Texts

package func systemErrorText(_ number: Int32) -> String {
    var text = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
    return String(systemText: text)
}

extension String {
    /// Text that the system has written, up to the first zero.
    package init(systemText: [CChar]) {
        self.init(decoding: systemText.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A mistake in a command line or a setting, in one sentence.
package struct UsageError: Error, CustomStringConvertible {
    /// The option that the sentence begins with; nil if it begins otherwise.
    package let option: String?
    private let rest: String

    package init(_ sentence: String) { (option, rest) = (nil, sentence) }

    /// The sentence begins with the option's name.
    package init(of option: String, _ rest: String) { (self.option, self.rest) = (option, rest) }

    package var description: String { named(option ?? "") }

    /// The sentence with another name of its option, such as a configuration file has.
    package func named(_ name: String) -> String { option == nil ? rest : "\(name) \(rest)" }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Throws if there is no value of this name: `--time is system or virtual, not 'fast'`. The subject comes before `is`.
    package init(named name: String, option: String, subject: String = "") throws(UsageError) {
        guard let value = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).alternatives
            throw UsageError(of: option, "\(subject)is \(names), not '\(name.shortened)'")
        }
        self = value
    }
}

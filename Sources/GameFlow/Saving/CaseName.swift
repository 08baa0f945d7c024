// The name of an enum's case, which clients see, and under which Codable saves a state.

/// An event that is not an enum's case and provides its name.
public protocol NamedEvent {
    /// The name, as clients send it.
    var eventName: String { get }
    /// The payload, as a client would send it; nil for none.
    var carried: JSON? { get }
}

extension NamedEvent {
    /// Nothing.
    public var carried: JSON? { nil }
}

/// The name of an enum's case. Finding it takes a while: see `EnumCases`.
@usableFromInline
package func caseName(of value: some Any) -> String {
    if let named = value as? any NamedEvent { return named.eventName }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, let label = mirror.children.first?.label else { return "\(value)" }
    return label
}

/// The label of the one value that an enum's case carries: `score` of `completeLevel(score: 100)`.
func onlyLabel(in value: some Any) -> String? {
    guard let payload = Mirror(reflecting: value).children.first?.value else { return nil }
    let parts = Mirror(reflecting: payload)
    guard parts.displayStyle == .tuple, parts.children.count == 1, let label = parts.children.first?.label else { return nil }
    return label.hasPrefix(".") ? nil : label
}

extension String {
    /// `choosingLevel` as people write it: `Choosing level`.
    public var spelledOut: String {
        var words = ""
        for letter in self {
            if letter.isUppercase && !words.isEmpty { words += " " }
            words += words.isEmpty ? letter.uppercased() : letter.lowercased()
        }
        return words
    }
}

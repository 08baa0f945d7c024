// A state as its name and data, which are stored, shown, and given to begin a session in a state.

/// A session's state: an enum with cases that carry each state's values and timers. It can be saved and restored.
public protocol FlowState: Codable, SendableMetatype {
    /// The name of a state that is not an enum's case; nil if the case is the name.
    var ownName: String? { get }

    /// The index of the name among the flow's states, where the state knows it: it saves looking its own name up.
    var ownIndex: UInt32? { get }

    /// Whether the state carries nothing but timers; nil where its type shows it.
    var carriesOnlyTimers: Bool? { get }

    /// The state's data as JSON, if the state makes it itself; nil if it is encoded. Saved data may have more than shown data.
    func ownData(isSaved: Bool) -> JSON?

    /// The names of all states. An enum's are known; another type lists them.
    static var allNames: [String] { get }

    /// Whether the state carries this timer. After a step the machine asks this about timers that are not in the value itself but in an
    /// indirect case, a class or a collection. The default searches by reflection, which takes some microseconds; implement it where
    /// that is too slow.
    func carries(_ timer: StateTimer) -> Bool

    /// Makes the state of this name from its data.
    static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> Self
}

extension FlowState {
    /// Nil: the case is the name.
    @inlinable public var ownName: String? { nil }
    /// Nil: the name is looked up.
    @inlinable public var ownIndex: UInt32? { nil }
    /// Nil: its type shows it.
    public var carriesOnlyTimers: Bool? { nil }
    /// Nil: they are encoded.
    public func ownData(isSaved: Bool) -> JSON? { nil }
    /// Looks for the timer by reflection.
    public func carries(_ timer: StateTimer) -> Bool { TimerSearch(for: timer).finds(in: self) }

    /// The name that clients see. `stateName` of a machine is faster, as it learns each case's name once.
    public var name: String { ownName ?? caseName(of: self) }

    /// The state's data as JSON, without its name: its case's values, timers included. The caller passes the name, since it finds it faster.
    func data(
        named name: String, for purpose: StateEncoder.Purpose, naming eventName: @escaping (TimerPlan) -> String?
    ) throws -> JSON {
        if let own = ownData(isSaved: purpose == .saving) { return own }
        let whole = try StateEncoder.encode(self, for: purpose, naming: eventName)
        return whole[ownName ?? name] ?? whole
    }

    /// Decodes the case of that name. Throws if the data is not an object, or does not fit the case.
    public static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> Self {
        guard case .object(let members) = data else { throw RestorationError("the data of '\(name)' must be an object") }
        if members.isEmpty, name == restoring.stateName { return try restoring.decode(from: restoring.bareState) }
        return try restoring.decode(from: .object([.init(name, data)]))
    }

    // MARK: The names of all states

    /// The names of all cases, in the order of declaration. A type that is not an enum must implement this.
    public static var allNames: [String] {
        guard let cases = EnumCases.names(of: Self.self) else { return [] }
        let probe = KeyProbe()
        _ = try? Self(from: probe)
        // Coding keys written by hand can be another list.
        guard let keys = probe.names, Set(keys) == Set(cases) else { return cases }
        return keys
    }
}

/// Learns a type's coding keys, by failing to decode it.
final class KeyProbe: Decoder {
    private struct ProbeFinished: Error {}

    private(set) var names: [String]?
    /// The type of the keys; nil if the type has none.
    private(set) var type: ObjectIdentifier?
    /// Whether a value of this name is read.
    private(set) var isKey: (String) -> Bool = { _ in false }
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        names = EnumCases.names(of: type)
        self.type = ObjectIdentifier(type)
        isKey = { Key(stringValue: $0) != nil }
        throw ProbeFinished()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ProbeFinished() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw ProbeFinished() }
}

// MARK: - Looks for a timer in a value, by reflection

/// Finds one timer in a state's value, or all.
struct TimerSearch {
    /// A deeper value is taken to refer to itself.
    private static let deepest = 64
    private static let maxValues = 100_000

    /// Nil to find all.
    private let timer: StateTimer?
    private var all: Set<ObjectIdentifier> = []
    private var valuesLeft = Self.maxValues

    init(for timer: StateTimer?) {
        self.timer = timer
    }

    /// All timers; some of them of a value too large to search, which is then not complete.
    static func all(in value: Any) -> (timers: Set<ObjectIdentifier>, isComplete: Bool) {
        var search = TimerSearch(for: nil)
        let isTooLarge = search.finds(in: value, depth: 0)
        return (search.all, !isTooLarge)
    }

    /// True also for a value too large to search, since a timer that is carried must not be stopped.
    consuming func finds(in value: Any) -> Bool { finds(in: value, depth: 0) }

    private mutating func finds(in value: Any, depth: Int) -> Bool {
        valuesLeft -= 1
        guard valuesLeft > 0, depth < Self.deepest else { return true }
        if let found = value as? StateTimer { return matches(found) }
        var mirror: Mirror? = Mirror(reflecting: value)
        while let level = mirror {
            for child in level.children where finds(in: child.value, depth: depth + 1) { return true }
            mirror = level.superclassMirror
        }
        return false
    }

    private mutating func matches(_ found: StateTimer) -> Bool {
        guard let timer else {
            all.insert(ObjectIdentifier(found))
            return false
        }
        return found === timer
    }
}

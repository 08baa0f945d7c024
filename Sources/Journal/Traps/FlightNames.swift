// The names that the flight record's numbers stand for, stored beside them, so that another version of the program can read them.

import GameFlow

package struct FlightNames: Sendable {
    /// A command that can be running when the process dies.
    package struct Command: Sendable {
        let number: UInt16
        let name: String
        let changesSessions: Bool

        package init(number: UInt16, name: String, changesSessions: Bool) {
            self.number = number
            self.name = name
            self.changesSessions = changesSessions
        }
    }

    private let json: JSON

    package init(_ flows: [FlowKind], _ commands: [Command]) {
        json = .object([
            .init("flows", .object(flows.map { .init($0.name, Self.names(of: $0)) })),
            .init("commands", .object(commands.map { .init("\($0.number)", Self.name(of: $0)) })),
        ])
    }

    private static func names(of kind: FlowKind) -> JSON {
        .object([
            .init("events", .array(kind.eventNames.map { .string($0) })),
            .init(
                "timers", .array(kind.timers.map { .array([.string($0.name), $0.messageName.map { .string($0) } ?? .null]) })),
        ])
    }

    private static func name(of command: Command) -> JSON {
        .array([.string(command.name), .bool(command.changesSessions)])
    }

    package init?(bytes: ArraySlice<UInt8>) {
        guard let json = try? JSON(parsing: String(decoding: bytes, as: UTF8.self)), json["flows"] != nil else { return nil }
        self.json = json
    }

    package var bytes: [UInt8] { Array(json.description.utf8) }

    // MARK: Finding

    package func event(_ number: UInt16, ofFlow flow: String) -> String? { element(number, "events", flow)?.text }

    /// The timer's name, and that of its event.
    package func timer(_ number: UInt16, ofFlow flow: String) -> (name: String, event: String?)? {
        guard case .array(let parts)? = element(number, "timers", flow), let name = parts.first?.text else { return nil }
        return (name, parts.last?.text)
    }

    /// A command's name, and whether it changes anything.
    package func command(_ number: UInt16) -> (name: String, changes: Bool)? {
        guard case .array(let parts)? = json["commands"]?["\(number)"], let name = parts.first?.text else { return nil }
        return (name, parts.last?.boolean ?? true)
    }

    private func element(_ number: UInt16, _ list: String, _ flow: String) -> JSON? {
        guard case .array(let elements)? = json["flows"]?[flow]?[list], number < elements.count else { return nil }
        return elements[Int(number)]
    }
}

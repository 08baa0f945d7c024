// BLUETOOTH: what simulated devices do.

import RESP

extension Command {
    package static let bluetooth = Command(
        name: "BLUETOOTH", group: .bluetooth, needs: .plays(.everything),
        summary: "Lists or controls the simulated Bluetooth devices.",
        details: """
            The devices come from the file given with --bluetooth FILE. LIST shows for each whether it is connected, which \
            notifications it can send, and how many events it has caused. CONNECT and DISCONNECT reply with OK. NOTIFY sends \
            a new value of an attribute: hexadecimal digits, or a name that the file gives to a value; a button with only \
            one meaning needs neither handle nor value. ADVERTISE sends the file's advertisement, or one with other data. \
            Both reply with the number of events that sessions accepted: 0 if no session is bound to it, if the sessions \
            refused them (their HISTORY shows the reason), or if it repeats an advertisement. A device that is not connected \
            cannot notify: NOTCONNECTED. Every client that may send events may use this command.
            """,
        examples: ["BLUETOOTH LIST", "BLUETOOTH NOTIFY turn-button", "BLUETOOTH NOTIFY thermometer 0x0030 D700"],
        flags: [.changes],
        Form(word: "LIST", needs: .reads(.everything)) { call in call.host.devices.reports }, Form(ConnectDeviceRequest.self),
        Form(DisconnectDeviceRequest.self),
        Form(NotifyRequest.self), Form(AdvertiseRequest.self))
}

package struct ConnectDeviceRequest: PromptRequest {
    let device: String

    package static let form = CommandForm(word: "CONNECT", .required("device", .text)) { ConnectDeviceRequest(device: $0) }
    package static var command: Command { .bluetooth }

    package func run(_ call: Call) throws(CommandError) -> EncodedReply {
        try call.host.devices.connect(device)
        return .ok
    }
}

package struct DisconnectDeviceRequest: PromptRequest {
    let device: String

    package static let form = CommandForm(word: "DISCONNECT", .required("device", .text)) {
        DisconnectDeviceRequest(device: $0)
    }
    package static var command: Command { .bluetooth }

    package func run(_ call: Call) throws(CommandError) -> EncodedReply {
        try call.host.devices.disconnect(device)
        return .ok
    }
}

package struct NotifyRequest: PromptRequest {
    let device: String
    /// The notification: an attribute, or an attribute and a value; both are nil for a button.
    let notification: String?
    let value: String?

    package static let form = CommandForm(
        word: "NOTIFY", .required("device", .text), .optional("handle", .text, "which of its notifications", member: "what"),
        .optional("value", .anyText, "a value for it")
    ) { NotifyRequest(device: $0, notification: $1, value: $2) }
    package static var command: Command { .bluetooth }

    /// Returns the number of events that sessions have accepted.
    package func run(_ call: Call) throws(CommandError) -> Int {
        guard notification != nil || value == nil else {
            throw CommandError(.generic, "a 'value' needs 'what': the handle of its attribute, like 0x002A")
        }
        return try call.host.devices.notify(device, [notification, value].compactMap(\.self))
    }
}

package struct AdvertiseRequest: PromptRequest {
    let device: String
    let value: String?

    package static let form = CommandForm(
        word: "ADVERTISE", .required("device", .text), .optional("value", .anyText, "data in place of its file's")
    ) { AdvertiseRequest(device: $0, value: $1) }
    package static var command: Command { .bluetooth }

    /// Returns the number of events that sessions have accepted.
    package func run(_ call: Call) throws(CommandError) -> Int { try call.host.devices.advertise(device, value) }
}

extension DeviceReport: MapValue {
    package func write(to map: inout MapWriter) {
        for (name, value) in identity { map.field(name, value) }
        map.field("connected", isConnected)
        map.field("says", notifications)
        for (name, count) in counts { map.field(name, count) }
    }
}

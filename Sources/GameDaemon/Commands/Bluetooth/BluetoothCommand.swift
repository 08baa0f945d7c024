// BLUETOOTH: what simulated devices do.

import RESP

extension Command {
    static let bluetooth: Command = Command(
        name: "BLUETOOTH", group: .bluetooth,
        syntax: "BLUETOOTH LIST|CONNECT device|DISCONNECT device|NOTIFY device [handle] [value]|ADVERTISE device [value]",
        summary: "The simulated Bluetooth devices: lists them, or has one do something.",
        details: """
            The devices come from the file that gamed was started with: --bluetooth FILE. LIST tells of each whether it is \
            connected, what it can be made to say, and what has come of it. CONNECT and DISCONNECT reply with OK. NOTIFY \
            has a device say that an attribute has a new value: hexadecimal digits, or a name that the file gives a value; \
            a button with one meaning needs neither handle nor value. ADVERTISE has it say what the file tells, or with \
            other data. Both reply with the number of events that sessions took: 0 if nothing is bound to it, if the \
            sessions refused them (their HISTORY says why), or if it repeats an advertisement. A device that is not \
            connected notifies nobody: NOTCONNECTED. Every client may do this that may send events.
            """,
        examples: ["BLUETOOTH LIST", "BLUETOOTH NOTIFY turn-button", "BLUETOOTH NOTIFY thermometer 0x0030 D700"],
        words: 2...5, flags: [.changes]
    ) { call throws(CommandError) in
        let source = call.daemon.bluetooth
        let what = call.arguments[1]
        if what.isWord("LIST"), call.count == 2 {
            call.reply.append(arrayOf: source.devices.count)
            for device in source.devices { append(device, source, call.reply) }
        } else if what.isWord("CONNECT"), call.count == 3 {
            source.connect(try call.device())
            call.reply.append(.ok)
        } else if what.isWord("DISCONNECT"), call.count == 3 {
            source.disconnect(try call.device())
            call.reply.append(.ok)
        } else if what.isWord("NOTIFY"), call.count >= 3 {
            let device = try call.device()
            let press = try device.spec.press((3..<call.count).map(call.text))
            call.reply.append(integer: try source.notify(press, by: device).accepted)
        } else if what.isWord("ADVERTISE"), call.count == 3 || call.count == 4 {
            let device = try call.device()
            let data = call.count == 4 ? try device.spec.value(call.text(3)) : nil
            call.reply.append(integer: try source.advertise(data, by: device).accepted)
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    private static func append(_ device: BluetoothDevice, _ source: BluetoothSource, _ reply: ReplyBuffer) {
        let spec = device.spec
        reply.append(mapOf: 10)
        for (name, value) in [("name", spec.name), ("address", spec.address.description), ("kind", spec.kind)] {
            reply.append(bulk: name)
            reply.append(bulk: value)
        }
        reply.append(bulk: "connected")
        reply.append(boolean: source.isConnected(device))
        reply.append(bulk: "says")
        reply.append(arrayOf: spec.sayings.count)
        for saying in spec.sayings { reply.append(bulk: saying) }
        let tally = device.tally
        let counts = [
            ("accepted", tally.accepted), ("refused", tally.refused), ("no_session", tally.noSession),
            ("repeats", tally.repeats), ("unbound", tally.unbound),
        ]
        for (name, count) in counts {
            reply.append(bulk: name)
            reply.append(integer: count)
        }
    }
}

extension Call {
    fileprivate func device() throws(CommandError) -> BluetoothDevice {
        let name = text(2)
        if let device = daemon.bluetooth.device(named: name) { return device }
        let names = daemon.bluetooth.devices.prefix(20).map(\.spec.name).joined(separator: ", ")
        let others = names.isEmpty ? "none, since gamed was started without --bluetooth FILE" : names
        throw CommandError(
            "NODEVICE", "there is no device '\(name.shortened)'; there \(names.isEmpty ? "is" : "are") \(others)")
    }
}

/// This gamed's version.
public let gamedVersion = "0.1.0"

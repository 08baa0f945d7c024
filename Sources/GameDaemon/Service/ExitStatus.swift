/// What the process says when it ends, in the numbers of sysexits.h.
public enum ExitStatus: Int32 {
    case success = 0
    case usage = 64
    case badInput = 65
    case software = 70
    case cannotCreate = 73
}

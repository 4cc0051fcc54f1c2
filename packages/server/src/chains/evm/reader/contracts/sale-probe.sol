// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Stands at an owner's address for the length of a call and reports what of a token would arrive if the owner sent all of it,
/// whether a share of a pair can be burnt, and what the owner gains by a call. It answers by a revert, which undoes the
/// transfers. Answers of the token are read into fixed room only.
contract SaleProbe {
    uint256 private constant ANSWERED = uint256(keccak256("SaleProbe"));

    /// By way of a `Seller`: the owner has no code when he sells, and a token may let only those sell who have.
    function arrives(address token, address to) external {
        uint256 held = balanceOf(token, address(this));
        uint256 before = balanceOf(token, to);
        try new Seller(token, to, held) {} catch {}
        uint256 reached = balanceOf(token, to);
        uint256 arrived = reached > before ? reached - before : 0;
        uint256 answered = ANSWERED;
        assembly {
            let p := mload(0x40)
            mstore(p, answered)
            mstore(add(p, 32), held)
            mstore(add(p, 64), arrived)
            revert(p, 96)
        }
    }

    /// Sends what the caller sells in the owner's place. It is undone as all of a probe is.
    function lend(address token, uint256 value) external {
        require(transfer(token, msg.sender, value));
    }

    /// Whether the owner could take out what his share of a pair stands for: sent to the pair and burnt, as routers do.
    function leaves(address pair) external {
        bool done = transfer(pair, pair, balanceOf(pair, address(this)));
        bytes memory data = abi.encodeWithSignature("burn(address)", address(this));
        uint256 answered = ANSWERED;
        assembly {
            if done { done := call(gas(), pair, 0, add(data, 32), mload(data), 0, 0) }
            let p := mload(0x40)
            mstore(p, answered)
            mstore(add(p, 32), done)
            revert(p, 64)
        }
    }

    /// What of two tokens the owner gains by a call, such as one that takes liquidity out. The zero address is the native
    /// coin. The gas kept back is for the answer: a contract may burn all that it is given.
    function gains(address target, bytes calldata data, address token0, address token1) external {
        uint256 before0 = balanceOf(token0, address(this));
        uint256 before1 = balanceOf(token1, address(this));
        bytes memory sent = data;
        assembly {
            pop(call(sub(gas(), 100000), target, 0, add(sent, 32), mload(sent), 0, 0))
        }
        uint256 gained0 = above(balanceOf(token0, address(this)), before0);
        uint256 gained1 = above(balanceOf(token1, address(this)), before1);
        uint256 answered = ANSWERED;
        assembly {
            let p := mload(0x40)
            mstore(p, answered)
            mstore(add(p, 32), gained0)
            mstore(add(p, 64), gained1)
            revert(p, 96)
        }
    }

    receive() external payable {}

    function above(uint256 reached, uint256 before) private pure returns (uint256) {
        return reached > before ? reached - before : 0;
    }
}

/// Sells what a `SaleProbe` lends it while it is being made: until then it has no code, as an owner has none.
contract Seller {
    constructor(address token, address to, uint256 value) {
        SaleProbe(payable(msg.sender)).lend(token, value);
        require(transfer(token, to, balanceOf(token, address(this))));
    }
}

/// True where the token says so or says nothing.
function transfer(address token, address to, uint256 value) returns (bool done) {
    bytes memory data = abi.encodeWithSignature("transfer(address,uint256)", to, value);
    assembly {
        mstore(0, 1)
        done := call(gas(), token, 0, add(data, 32), mload(data), 0, 32)
        done := and(done, or(iszero(returndatasize()), eq(mload(0), 1)))
    }
}

function balanceOf(address token, address owner) view returns (uint256 held) {
    if (token == address(0)) return owner.balance;
    bytes memory data = abi.encodeWithSignature("balanceOf(address)", owner);
    assembly {
        let ok := staticcall(gas(), token, add(data, 32), mload(data), 0, 32)
        if and(ok, gt(returndatasize(), 31)) { held := mload(0) }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Stands at an owner's address for the length of a call and tells what of a token would arrive if the owner sent all of
/// it, whether his share of a pair can be burnt, and what his shares of a vault pay. It answers by a revert, which undoes the transfers. Answers of the token are
/// read into fixed room only.
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

    /// What of its asset an ERC-4626 vault pays the owner if he redeems the shares. The gas kept back is for the answer:
    /// a vault may burn all that it is given.
    function redeems(address vault, address asset, uint256 shares) external {
        uint256 before = balanceOf(asset, address(this));
        bytes memory data =
            abi.encodeWithSignature("redeem(uint256,address,address)", shares, address(this), address(this));
        assembly {
            pop(call(sub(gas(), 100000), vault, 0, add(data, 32), mload(data), 0, 0))
        }
        uint256 reached = balanceOf(asset, address(this));
        uint256 paid = reached > before ? reached - before : 0;
        uint256 answered = ANSWERED;
        assembly {
            let p := mload(0x40)
            mstore(p, answered)
            mstore(add(p, 32), paid)
            revert(p, 64)
        }
    }
}

/// Sells what a `SaleProbe` lends it while it is being made: until then it has no code, as an owner has none.
contract Seller {
    constructor(address token, address to, uint256 value) {
        SaleProbe(msg.sender).lend(token, value);
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
    bytes memory data = abi.encodeWithSignature("balanceOf(address)", owner);
    assembly {
        let ok := staticcall(gas(), token, add(data, 32), mload(data), 0, 32)
        if and(ok, gt(returndatasize(), 31)) { held := mload(0) }
    }
}
